// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a job's spec, and where. Line and column are numbers of their own, because
// scripts and editors jump there; Result<T> carries a message only, so specs have a result of
// their own beside it.
//
// The text for people is one line: FILE:LINE:COLUMN: what: why (what to try).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/result.h"

namespace ringmaster::jobs {

/// A place in a text, as editors count: both from 1, columns in characters.
struct Place {
  int line = 1;
  int column = 1;
};

struct SpecError {
  std::string file = {};  // as the caller named it
  Place place = {};
  std::string what = {};  // the key it is about ("ranks.min"), or "YAML"
  std::string why = {};
  std::string hint = {};  // what to try; may be empty

  std::string message() const;
  Error as_error() const;  // where a place is of no use
};

/// A value, or what is wrong with the spec.
template <class T>
class [[nodiscard]] SpecResult {
 public:
  SpecResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  SpecResult(SpecError error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const SpecError& error() const {
    CHECK(!ok());
    return std::get<1>(state_);
  }
  T& operator*() {
    if (!ok()) check_failed(__FILE__, __LINE__, error().message());
    return std::get<0>(state_);
  }
  const T& operator*() const { return *const_cast<SpecResult&>(*this); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

 private:
  std::variant<T, SpecError> state_;
};

/// The user's own text inside a message: on one line, and cut when it is long.
std::string shown(std::string_view text);

}  // namespace ringmaster::jobs

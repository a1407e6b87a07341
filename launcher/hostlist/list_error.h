// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a host list, and where. File, line and entry are fields of their own, because
// scripts and editors jump there; Result<T> carries a message only, so host lists have a result of
// their own beside it.
//
// The text for people is one line: FILE:LINE: "ENTRY": why (what to try). The entry is the user's
// own text: control characters and bytes beyond ASCII are written as escapes, since what one does
// not see (a no-break space, a carriage return) is often what is wrong.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/result.h"

namespace ringmaster::launcher::hostlist {

/// Where something stands. Views: they live as long as the text that is read.
struct Place {
  std::string_view file = {};   // as the caller named it
  int line = 0;                 // from 1; 0: the text as a whole
  std::string_view entry = {};  // the part that it is about; may be empty
};

struct ListError {
  std::string why = {};
  std::string hint = {};  // what to try; may be empty
  std::string file = {};
  int line = 0;
  std::string entry = {};  // as it stands there, cut when it is long

  /// The same error with its place: for what only knows the word that it was given.
  ListError at(const Place& place) const;
  /// Without the hint, which is printed behind it.
  std::string message() const;
  /// Where fields of their own are of no use.
  Error as_error() const;
};

/// An error that does not know its place yet.
ListError refusal(std::string why, std::string hint = {});

/// What an operation without a value says: nothing when all is well.
using Refusal = std::optional<ListError>;

/// A value, or what is wrong with the list.
template <class T>
class [[nodiscard]] ListResult {
 public:
  ListResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  ListResult(ListError error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const ListError& error() const {
    CHECK(!ok());
    return std::get<1>(state_);
  }
  T& operator*() {
    if (!ok()) check_failed(__FILE__, __LINE__, error().message());
    return std::get<0>(state_);
  }
  const T& operator*() const { return *const_cast<ListResult&>(*this); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

 private:
  std::variant<T, ListError> state_;
};

/// The user's own text inside a message: quoted, on one line, and cut when it is long.
std::string in_quotes(std::string_view text);

/// A name (of a file, of a job) inside a message: as it is, or quoted where it would break the
/// line.
std::string on_one_line(std::string_view name);

}  // namespace ringmaster::launcher::hostlist

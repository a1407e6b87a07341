// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value, or an Error that says what failed, to what, and why.
//
// It is our own because GCC 12 does not warn when a std::expected-like result is dropped; this
// one is [[nodiscard]] as a class. It is for what can happen in a right program. What cannot
// happen is a CHECK (base/check.h). Reading the value of a failed result is such a CHECK.
//
// Pure. Thread rules: a Result is a value; share it as you would share an int.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace ringmaster {

/// What kind of failure it is: few, because callers branch on it. The message tells the rest.
enum class Errc {
  invalid,             // the caller's input is wrong
  not_found,           // a file, program or name is not there
  denied,              // the system says no
  io,                  // reading or writing failed
  corrupt,             // data is there, and damaged
  exhausted,           // memory, descriptors, disk or slots ran out
  timed_out,           // the deadline passed
  generation_changed,  // the membership changed under the operation: join again
  mismatch,            // ranks called different operations
  closed,              // the other side is gone
  exists,              // it is there already, and was to be new
  fenced,              // somebody newer has taken over: stop writing
};

/// The name that users and scripts see ("timed_out").
const char* errc_name(Errc code);

struct Error {
  Errc code;
  std::string message;  // what failed, to what, why: "connect 10.0.0.7:7001: connection refused"
};

/// "MESSAGE: text of errno", with the code that fits the errno.
Error errno_error(int error_number, std::string message);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    CHECK(!ok());
    return std::get<1>(state_);
  }
  T& operator*() {
    if (!ok()) check_failed(__FILE__, __LINE__, error().message);
    return std::get<0>(state_);
  }
  const T& operator*() const { return *const_cast<Result&>(*this); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace ringmaster

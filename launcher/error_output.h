// SPDX-License-Identifier: Apache-2.0
//
// How every program of ours says that it cannot: one line for people, or one object for programs,
// on standard error. It is made in one place, so that all fail alike.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ringmaster::launcher {

inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;  // it was called wrongly, and nothing was started

/// Prints the error (and what to try, when there is a hint) and returns `exit_code`.
int fail_as(std::string_view program, bool json, const Error& error, std::string_view hint,
            int exit_code);

/// The error as programs read it: {"error":{"code":..,"message":..,"hint":..}}.
std::string error_json(const Error& error, std::string_view hint);

/// Prints the text and, when it does not end with one, a newline, to standard output; gives 0, or 1
/// when it cannot be written.
int print_line(std::string_view text);

}  // namespace ringmaster::launcher

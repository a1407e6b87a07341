// SPDX-License-Identifier: Apache-2.0
//
// How a command says that it cannot: one line for people, one object for programs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ringmaster::launcher {

/// The exit code of a command that was called wrongly.
inline constexpr int kUsageExitCode = 2;

/// Prints "PROGRAM: MESSAGE" or {"error":{"code":..,"message":..}} to standard error; gives
/// kUsageExitCode.
int fail_usage(std::string_view program, const Error& error, bool json);

/// Prints the text and, when it has none, a newline, to standard output; gives 0, or 1 when it
/// cannot be written.
int print_line(std::string_view text);

}  // namespace ringmaster::launcher

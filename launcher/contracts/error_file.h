// SPDX-License-Identifier: Apache-2.0
//
// The file in which torch's `record` decorator leaves the exception that ended a rank
// (TORCHELASTIC_ERROR_FILE): what was raised, where, and when. It tells more than an exit code, and
// more exactly than the last lines of standard error, where other ranks' threads write too.
//
// JSON, as torch/distributed/elastic/multiprocessing/errors writes it: {"message": {"message":
// "Type: text", "extraInfo": {"py_callstack": .., "timestamp": "seconds"}}}, or a plain string as
// the message with the timestamp beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::launcher {

/// What the rank raised. Time stamps are the host's own clock, and order failures of one host only.
struct ErrorReport {
  std::string message = {};    // "ValueError: x is negative", on one line
  std::string traceback = {};  // its last lines, at most kTracebackLines; "" when there is none
  std::optional<std::int64_t> seconds = {};  // since 1970
};
inline constexpr std::size_t kTracebackLines = 12;

/// Pure: nothing for what is no such file, any bytes included.
std::optional<ErrorReport> parse_error_file(std::string_view text);

/// Reads the file at `path`, of which a rank may have written any amount: the first 256 KiB count.
/// Nothing when it is not there, or holds no report.
std::optional<ErrorReport> read_error_file(const std::string& path);

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/error_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ringmaster::launcher {

int fail_usage(std::string_view program, const Error& error, bool json) {
  if (json) {
    const nlohmann::json object = {
        {"error", {{"code", errc_name(error.code)}, {"message", error.message}}}};
    fmt::print(stderr, "{}\n", object.dump());
  } else {
    fmt::print(stderr, "{}: {}\n", program, error.message);
  }
  return kUsageExitCode;
}

int print_line(std::string_view text) {
  const bool ended = !text.empty() && text.back() == '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!ended) std::fputc('\n', stdout);
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/error_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ringmaster::launcher {

std::string error_json(const Error& error, std::string_view hint) {
  using Json = nlohmann::ordered_json;
  const Json inner = {
      {"code", errc_name(error.code)}, {"message", error.message}, {"hint", std::string(hint)}};
  return Json{{"error", inner}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int fail_as(std::string_view program, bool json, const Error& error, std::string_view hint,
            int exit_code) {
  const std::string line = json ? error_json(error, hint)
                           : hint.empty()
                               ? fmt::format("{}: {}", program, error.message)
                               : fmt::format("{}: {} ({})", program, error.message, hint);
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", line);
  return exit_code;
}

int print_line(std::string_view text) {
  const bool ended = !text.empty() && text.back() == '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!ended) std::fputc('\n', stdout);
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/clock_text.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <ctime>

namespace ringmaster::launcher {

std::string clock_text(double wall) {
  const auto seconds = static_cast<std::time_t>(wall);
  std::tm parts = {};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%F %T", &parts);
  return text.data();
}

std::string clock_text_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("{}.{:03}", clock_text(static_cast<double>(ms / 1000)), ms % 1000);
}

}  // namespace ringmaster::launcher

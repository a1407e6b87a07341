// SPDX-License-Identifier: Apache-2.0
#include "launcher/clock_text.h"

#include <array>
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

}  // namespace ringmaster::launcher

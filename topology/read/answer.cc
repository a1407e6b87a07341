// SPDX-License-Identifier: Apache-2.0
#include "topology/read/answer.h"

namespace ringmaster::topology {

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string result = "\"";
  for (const char letter : text.substr(0, kShown)) {
    result += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return result + (text.size() > kShown ? "...\"" : "\"");
}

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
#include "launcher/input/input_wish.h"

#include <fmt/format.h>

#include "base/whole_number.h"

namespace ringmaster::launcher {

Result<InputWish> parse_input_wish(const std::string& text, int ranks) {
  if (text == "all") return InputWish{true, std::nullopt};
  if (text == "none") return InputWish{false, std::nullopt};
  int rank = 0;
  if (!read_whole(text, &rank) || rank < 0) {
    return Error{Errc::invalid, fmt::format("--stdin {}: it takes all, none, or a rank", text)};
  }
  if (rank >= ranks) {
    return Error{Errc::invalid, fmt::format("--stdin {}: there is no rank {}, they are 0 to {}",
                                            text, rank, ranks - 1)};
  }
  return InputWish{false, rank};
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/input/input_wish.h"

#include <fmt/format.h>

#include <charconv>

namespace ringmaster::launcher {

Result<InputWish> parse_input_wish(const std::string& text, int ranks) {
  if (text == "all") return InputWish{true, std::nullopt};
  if (text == "none") return InputWish{false, std::nullopt};
  int rank = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (code != std::errc{} || end != text.data() + text.size() || rank < 0) {
    return Error{Errc::invalid, fmt::format("--stdin {}: it takes all, none, or a rank", text)};
  }
  if (rank >= ranks) {
    return Error{Errc::invalid, fmt::format("--stdin {}: there is no rank {}, they are 0 to {}",
                                            text, rank, ranks - 1)};
  }
  return InputWish{false, rank};
}

}  // namespace ringmaster::launcher

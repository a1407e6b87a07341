// SPDX-License-Identifier: Apache-2.0
//
// Reads decisions off the bytes of a fuzzer. Past the end everything is zero, so that any input,
// however short, is a whole program. Header only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringmaster::fuzz {

class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  /// A number in [0, bound); `bound` is at most 256.
  std::size_t below(std::size_t bound) { return byte() % bound; }
  bool flag() { return (byte() & 1) != 0; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace ringmaster::fuzz

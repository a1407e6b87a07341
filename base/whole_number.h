// SPDX-License-Identifier: Apache-2.0
//
// A number that is a text's whole content: "12x", " 12" and "" are none, nor is what does not fit.
//
// Pure. Header only.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace ringmaster {

/// Reads as std::from_chars does. False when it is no number, or characters are left; then
/// `number` may have changed.
template <class Number>
bool read_whole(std::string_view text, Number* number) {
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, *number);
  return code == std::errc{} && end == last;
}

}  // namespace ringmaster

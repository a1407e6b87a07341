// SPDX-License-Identifier: Apache-2.0
#include "topology/show/xml_text.h"

#include <cstdint>

namespace ringmaster::topology {

namespace {

/// How many bytes the letter at the beginning has; 0 where it is none that XML may hold.
std::size_t xml_letter(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80U) return first >= ' ' ? 1 : 0;
  const std::size_t length = first >= 0xf0U ? 4 : first >= 0xe0U ? 3 : 2;
  if (first < 0xc2U || first > 0xf4U || text.size() < length) return 0;
  std::uint32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (next & 0x3fU);
  }
  const bool longer = (length == 3 && code < 0x800U) || (length == 4 && code < 0x10000U);
  const bool surrogate = code >= 0xd800U && code <= 0xdfffU;
  const bool none = code == 0xfffeU || code == 0xffffU || code > 0x10ffffU;
  return longer || surrogate || none ? 0 : length;
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = xml_letter(text);
    result += length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char letter : printable_text(text)) {
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else if (letter == '"')
      result += "&quot;";
    else
      result += letter;
  }
  return result;
}

}  // namespace ringmaster::topology

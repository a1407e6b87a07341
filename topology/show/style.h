// SPDX-License-Identifier: Apache-2.0
//
// Colours of a terminal: near is green, far is red, what is unknown is dim. Header only.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "topology/path.h"

namespace ringmaster::topology {

enum class Ink { plain, bold, dim, green, cyan, yellow, red };

inline std::string inked(std::string_view text, Ink ink, bool colours) {
  if (!colours || ink == Ink::plain) return std::string(text);
  const char* code = "";
  switch (ink) {
    case Ink::plain:
      break;
    case Ink::bold:
      code = "1";
      break;
    case Ink::dim:
      code = "2";
      break;
    case Ink::green:
      code = "32";
      break;
    case Ink::cyan:
      code = "36";
      break;
    case Ink::yellow:
      code = "33";
      break;
    case Ink::red:
      code = "31";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

inline Ink ink_of(const MaybePath& path) {
  if (!path) return Ink::dim;
  switch (path->kind) {
    case PathClass::self:
      return Ink::dim;
    case PathClass::nvlink:
      return Ink::green;
    case PathClass::pix:
    case PathClass::pxb:
      return Ink::cyan;
    case PathClass::phb:
    case PathClass::node:
      return Ink::yellow;
    case PathClass::sys:
      return Ink::red;
  }
  return Ink::plain;
}

}  // namespace ringmaster::topology

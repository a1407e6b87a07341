// SPDX-License-Identifier: Apache-2.0
//
// XML as a tree of elements and attributes, with lines for messages. Expat does the reading; text
// between elements is left out, since no format here has any.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "topology/read/answer.h"

namespace ringmaster::topology {

struct XmlElement {
  std::string name;
  int line = 0;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<XmlElement> children = {};

  /// The attribute's value, or null.
  const std::string* find(std::string_view attribute) const;
  /// The same, "" where it is not there.
  std::string_view text(std::string_view attribute) const;
};

// A machine of 16 GPUs has some hundred elements, 11 deep; hwloc's has some thousand.
inline constexpr std::size_t kXmlElementsMax = 100000;
inline constexpr std::size_t kXmlDepthMax = 64;

/// The root element. Refuses what is no XML, what ends early (with the last line), entities of its
/// own, and what is above the limits.
std::variant<XmlElement, Refusal> read_xml(std::string_view text);

}  // namespace ringmaster::topology

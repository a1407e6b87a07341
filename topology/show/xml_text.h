// SPDX-License-Identifier: Apache-2.0
//
// Text for XML: names come from files and may hold anything.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace ringmaster::topology {

/// The text with "?" for what no XML may hold: control characters and bytes that are no UTF-8.
std::string printable_text(std::string_view text);

/// A printable text as it may stand between tags and in an attribute.
std::string xml_escaped(std::string_view text);

}  // namespace ringmaster::topology

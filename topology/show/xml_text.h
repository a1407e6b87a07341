// SPDX-License-Identifier: Apache-2.0
//
// Text for XML: names come from files and may hold anything.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace ringmaster::topology {

/// What may stand between tags and in an attribute. What no XML may hold, such as control
/// characters and bytes that are no UTF-8, becomes "?".
std::string xml_escaped(std::string_view text);

}  // namespace ringmaster::topology

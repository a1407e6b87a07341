// SPDX-License-Identifier: Apache-2.0
//
// The formats in which a machine's description comes, by name, and which of them a text is.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/read/answer.h"

namespace ringmaster::topology {

struct TopologyFormat {
  std::string_view name, what;
  Answer (*read)(std::string_view text);
};

const std::vector<TopologyFormat>& topology_formats();

/// "auto" and the formats' names.
std::vector<std::string> topology_format_names();

/// The format that the text's beginning shows: its first letter, or the magic number of an archive.
/// What shows none is taken for a matrix, whose reader says what it looks for.
const TopologyFormat& guess_topology_format(std::string_view text);

/// Reads the text as the named format; "auto" guesses. The machine that it gives holds what
/// check_topology asks.
Answer read_topology(std::string_view format, std::string_view text);

}  // namespace ringmaster::topology

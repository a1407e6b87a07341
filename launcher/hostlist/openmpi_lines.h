// SPDX-License-Identifier: Apache-2.0
//
// The lines of an Open MPI hostfile: "n1 slots=4 max_slots=8", "bob@n1 port=2222", "^n1", "+n0".
// Blanks may stand around '='. What the hosts come to is decided by the reader (openmpi.cc).
//
// Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "launcher/hostlist/request.h"
#include "launcher/hostlist/text.h"

namespace ringmaster::launcher::hostlist {

struct OpenmpiLines {
  std::vector<Request> requests = {};  // their places are views into the text
  std::unordered_set<std::string> excluded = {};
};

/// `text` is without comments (text.h), and outlives the result.
ListResult<OpenmpiLines> parse_openmpi_lines(std::string_view text, std::string_view file);

/// Whether the first line that says something is one of a rank file ("rank 0=n1").
bool looks_like_ranks(std::string_view text);

/// A line's words, with each '=' a word of its own.
std::vector<std::string_view> words_and_equals(std::string_view line);

}  // namespace ringmaster::launcher::hostlist

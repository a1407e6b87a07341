// SPDX-License-Identifier: Apache-2.0
//
// Lines of PMI-1, the text that MPICH and its relatives speak with the launcher: words
// "key=value", the first of them "cmd=..." (or "mcmd=..." for what goes over several lines), a
// newline at the end. The protocol as MPICH's src/pmi/maint/pmi-1.1.txt has it.
//
// Pure. What comes in is any bytes: a rank's descriptor is open to all that it starts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ringmaster::launcher::pmi {

/// As promised to ranks ("cmd=maxes"), without a NUL at the end.
inline constexpr std::size_t kSpaceNameMax = 256, kKeyMax = 64, kValueMax = 1024;
/// The longest line that any of this can make, and room for arguments of a refused spawn.
inline constexpr std::size_t kLineMax = 4096;

struct Message {
  bool opens = false;  // "mcmd=": more lines follow, up to "endcmd"
  std::string name;    // "put"
  std::vector<std::pair<std::string, std::string>> words;

  /// The value of the word, or nothing.
  std::optional<std::string_view> find(std::string_view key) const;
};

/// `line` without its newline. Words without '=' are an error; so are bytes that no line has.
Result<Message> parse_message(std::string_view line);

/// One line of a multi-line command: a word "key=value" whose value may hold spaces.
std::pair<std::string_view, std::string_view> split_word(std::string_view line);

}  // namespace ringmaster::launcher::pmi

// SPDX-License-Identifier: Apache-2.0
//
// Options that a launcher has and ringrun has not: known, so that who types one reads what to use
// instead, and not that it is misspelt.
//
// Pure.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.h"

namespace ringmaster::launcher {

struct RefusedOption {
  std::string_view names;    // as Flag::names
  std::string_view value;    // "" where it takes none
  std::string_view instead;  // why it is not here, or what to use
};

/// Whether a command line has one of them.
class Refusals {
 public:
  explicit Refusals(const std::vector<RefusedOption>& options);
  Refusals(const Refusals&) = delete;

  /// To be parsed beside the launcher's own.
  Flags flags();
  /// The first in the table's order that was given.
  std::optional<Error> given() const;

 private:
  struct Seen {
    bool is_there = false;
    std::vector<std::string> values = {};
  };
  const std::vector<RefusedOption>& options_;
  std::deque<Seen> seen_;  // flags point into it
};

/// For a help page: each option, and what to use.
std::string refusals_text(const std::vector<RefusedOption>& options);

/// The spelling for people: the last of "a,b,c".
std::string_view last_name(std::string_view names);

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// What a check of this host came to: how bad it is, what was seen, and what to do about it.
//
// Each is one line for people. `unknown` is a level of its own: a check that could not be made is
// neither fine nor a fault, and both would be lies.
//
// Pure.
#pragma once

#include <string>
#include <vector>

namespace ringmaster::launcher::doctor {

/// From good to bad. A note is worth knowing, a warning may spoil a run, a problem will.
enum class Level { ok, unknown, note, warning, problem };

/// "ok", "unknown", "note", "warning" or "problem".
const char* level_name(Level level);

/// What one check says; a check that looks at several GPUs says several.
struct Verdict {
  Level level = Level::ok;
  std::string seen;
  std::string advice = {};  // what to do; always there from a note on

  bool operator==(const Verdict&) const = default;
};
using Verdicts = std::vector<Verdict>;

/// A verdict with the name of its check: a word that does not change ("memlock").
struct Finding {
  std::string check;
  Verdict verdict;

  bool operator==(const Finding&) const = default;
};

}  // namespace ringmaster::launcher::doctor

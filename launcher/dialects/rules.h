// SPDX-License-Identifier: Apache-2.0
//
// What users of another launcher expect beside what its options say: how its job ends, what its
// log folder and its tags look like, which hosts it takes.
//
// A dialect is a translation into ringrun's own words, which anybody could have typed, and these
// rules. So all that ringrun checks and says is checked and said in one place, and what an option
// means here can be read off a line.
//
// Pure. Not here: the translations (torchrun.h, mpirun.h) and what a plan makes of the rules
// (launch_line.h).
#pragma once

#include <string>
#include <vector>

#include "launcher/output/rank_outputs.h"

namespace ringmaster::launcher {

struct LaunchRules {
  bool this_host = false;        // whatever hosts the environment names
  bool cores_are_slots = false;  // more ranks than cores need --oversubscribe, no list given
  bool oversubscribe = false;    // which was given
  int per_host = 0;              // ranks, where no list says how many; 0: not said
  bool quiet = false;            // no remarks before the start
  bool shows_plan = false;       // before the start
  // A block tells how it failed, and any failure ends with 1; "": not so.
  std::string torch_program = {};
  // Of the output:
  std::string tag = {};                   // as OutputWishes::tag
  std::vector<RankStreams> streams = {};  // as OutputWishes::streams
  FileLayout layout = FileLayout::torchrun;
  bool merged = false;  // standard error goes where standard output goes
};

/// A command line in another launcher's words, in ringrun's.
struct Translation {
  std::vector<std::string> words = {};  // for parse_command_line
  LaunchRules rules = {};
  std::vector<std::string> remarks = {};
  std::string help = {};  // asked for: the page; then there are no words
};

/// How the launcher ends when ringrun would end with `code`.
inline int exit_code_of(const LaunchRules& rules, int code) {
  return !rules.torch_program.empty() && code != 0 ? 1 : code;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/settings.h"

#include <sstream>

namespace ringmaster::launcher {

namespace {

/// An unknown option may take one as well: it is most likely a known one with a typo.
bool may_take_value(const Flags& flags, const std::string& word) {
  for (const Flag& flag : flags) {
    std::istringstream names{std::string(flag.names)};
    for (std::string name; std::getline(names, name, ',');) {
      if (name == word) return !std::holds_alternative<bool*>(flag.target);
    }
  }
  return word.find('=') == std::string::npos;
}

}  // namespace

bool asks_for_json(const Flags& flags, const std::vector<std::string>& arguments) {
  bool is_value = false;
  for (const std::string& word : arguments) {
    if (word == "--json") return true;
    if (!is_value && (word.empty() || word[0] != '-' || word == "--")) return false;
    is_value = !is_value && may_take_value(flags, word);
  }
  return false;
}

Flags RunSettings::flags() {
  return {
      {"-n,-np,--np", &ranks, "N", "ranks to start; not given: one for each GPU, or processor",
       between(1, 4096)},
      {"--elastic", &elastic, "MIN:MAX",
       "go on when ranks die while MIN are left, replace them up to MAX"},
      {"--restarts", &restarts, "K", "replacements in all, with --elastic; not given: ten",
       between(0, 1000000)},
      {"--drill", &drills, "kill:R@S", "kill rank R when it has finished S steps; repeatable"},
      {"--timeout", &timeout_seconds, "S", "end the job after S seconds, with exit code 110",
       between(0.001, 31622400)},
      {"--grace", &grace_seconds, "S", "seconds from the polite signal to SIGKILL",
       between(0, 86400)},
      {"--bind", &bind, "PLACE", "keep each rank on a core or memory node of its own, in turns",
       one_of({"core", "numa", "none"})},
      {"--oversubscribe", &oversubscribe, "", "allow more ranks than GPUs"},
      {"--tag-output", &tag_output, "", "begin each line of a rank with its number"},
      {"--dry-run", &dry_run, "", "show what would be started, start nothing"},
      {"--json", &json, "", "the dry run and errors as JSON"},
  };
}

std::string run_help(RunSettings& settings) {
  return help_text(
             "ringrun [options] [--] PROGRAM [ARGUMENTS...]",
             "Starts N ranks of PROGRAM on this host, passes their output on in whole lines, and "
             "ends with\nthe exit code of the first rank that failed (128 + n for signal n; 127: "
             "not found; 126: not\nexecutable; 110: --timeout; 130: Ctrl-C). Each rank finds RANK, "
             "LOCAL_RANK, WORLD_SIZE,\nLOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT in its "
             "environment. When ringrun ends, nothing\nthat it started is left.\n\n"
             "With --elastic, ranks that use the session library (worker/session.h, "
             "ringmaster_session.h)\nsurvive the loss of others: the ring closes, a replacement "
             "joins and gets the state.",
             settings.flags(), "ringrun -np 4 --elastic 2:4 ringmaster-train --model cnn") +
         "  ringrun -np 2 python3 train.py\n";
}

}  // namespace ringmaster::launcher

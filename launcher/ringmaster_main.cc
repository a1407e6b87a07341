// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster`: a table of commands.
#include <fmt/format.h>

#include "launcher/commands/command.h"

namespace {

using namespace ringmaster::launcher;

int run_version(const Arguments&) {
  fmt::print("ringmaster 0.1.0\n");
  return 0;
}

const std::vector<Command> kCommands = {
    {"report", "what a training run did: a page, a summary or JSON", run_report},
    {"bench", "how fast the ring heals and how well training scales here", run_bench},
    {"simulate", "run the job core in a simulated world, from seeds", run_simulate},
    {"checkpoint", "list, verify and remove checkpoints in a store", run_checkpoint},
    {"version", "the version of this program", run_version},
};

}  // namespace

int main(int count, char** values) {
  return run_command("ringmaster", "Looks at distributed training runs and measures this machine.",
                     kCommands, {values + 1, values + count});
}

// SPDX-License-Identifier: Apache-2.0
//
// Who is measured by `ringmaster bench allreduce`, and how each is started.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

/// One library with one set of flags, and what it has measured so far.
struct Contender {
  struct Times {
    std::vector<double> medians, p99s;  // us, one of each for every run
  };
  std::string name;
  std::vector<std::string> command;  // what comes before the sizes
  std::string last = {};             // the program's last argument, if it has one
  bool ours = false;
  bool needs_folder = false;                 // the last argument is a new folder for each run
  std::map<std::int64_t, Times> times = {};  // by bytes
  bool left_out = false;                     // was nowhere near the fastest: not run again
};

/// How many ranks, and whether each is bound to a core: the same for all.
struct Placement {
  int ranks, cpus;
  bool bound;
};

/// Ours with each kind of memory ("ordinary", "allocated", "registered").
Result<std::vector<Contender>> our_contenders(const Placement& placement,
                                              const std::vector<std::string>& memories);

/// The peers that scripts/bench-peers has built in `folder`, each as it comes and with the flags
/// that are better on one host.
Result<std::vector<Contender>> peer_contenders(const std::string& folder,
                                               const Placement& placement);

struct Sizes {
  std::int64_t least, most, budget_ms;
};

/// Runs it once; what it prints is added to its times.
Result<void> run_contender(Contender& contender, const Sizes& sizes, const TemporaryFolder& files,
                           std::int64_t run);

/// Bytes a second that so many processes copy together, past the caches: read and written.
Result<double> measure_stream(int processes, const TemporaryFolder& files);

/// Leaves out the peers that are at no size within twice the fastest peer's time.
void leave_out_the_slow(std::vector<Contender>& all);

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// Snapshots of the core's state: whatever is read as one is written and read as the same again.
#include "base/check.h"
#include "jobs/wire/snapshot.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void run(std::string_view input) {
  if (const auto core = jobs::core_of(input)) {
    const std::string written = jobs::snapshot_of(*core);
    const auto again = jobs::core_of(written);
    CHECK(again.ok());
    CHECK(jobs::snapshot_of(*again) == written);
  } else {
    CHECK(!core.error().message.empty());
  }
  if (const auto job = jobs::job_of_record(input)) {
    const std::string written = jobs::record_of(*job);
    CHECK(jobs::record_of(*jobs::job_of_record(written)) == written);
  }
}

/// A core with a host and a job that has lost a rank.
jobs::Core busy_core() {
  using namespace jobs;
  Core core;
  JobSpec spec;
  spec.name = "fuzzed";
  spec.ranks_max = 2;
  spec.restarts = 2;
  spec.save_every = 10;
  core.step(Time{}, HostJoined{HostId{1}, "a", 4});
  core.step(Time{}, JobSubmitted{JobId{1}, spec});
  core.step(Time{}, TermOpened{JobId{1}, 1, Term{1}, {Term{1}, 20}, ""});
  for (const int rank : {0, 1}) {
    const RankId id{JobId{1}, Rank{rank}, Incarnation{rank + 1}};
    core.step(Time{}, RankStarted{id, "10.0.0.1:1"});
    core.step(Time{}, RankReady{id, kNoState, {}});
  }
  const RankId first{JobId{1}, Rank{0}, Incarnation{1}};
  core.step(Time{},
            ShardWritten{first, Generation{1}, 30, 0, 2, {8}, {"key", 8, 1, {{0, 0, 8, 0}}}});
  core.step(Time{}, RankExited{first, {0, 9}, 3});
  return core;
}

}  // namespace

Target snapshot_target() {
  const jobs::Core core = busy_core();
  return {"snapshot",
          {jobs::snapshot_of(core), jobs::record_of(core.state().jobs.begin()->second),
           jobs::snapshot_of(jobs::Core()), ""},
          &run,
          10000};
}

}  // namespace ringmaster::fuzz

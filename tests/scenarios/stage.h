// SPDX-License-Identifier: Apache-2.0
//
// Where a story is played: the core, one job, a clock that the lines move, and the invariants.
//
//     host a joins with 4 slots           host a lost: no heartbeat
//     job of 2 to 4 ranks, 10 restarts    stop: ctrl-C          stop now: ctrl-C
//     ranks 0-3 start                     rank 1 cannot start: no such program
//     ranks 0,2 ready                     ranks 0,2 ready with 7 steps
//     ranks 0-3 hold 7 steps of rank 2    ranks 0-3 finish
//     rank 1 says out of memory           rank 1 exits with code 3
//     rank 1 killed by signal 9           rank 1 killed by signal 9 after 7 steps
//     rank 1 saves step 20                rank 1 cannot save step 20: disk full
//     job of .. restarts, saved every 20 steps
//     term 1 opens                        term 2 opens and finds step 20 of term 1
//     step 20 is committed in term 1      step 20 is not committed: disk full
//     wait
//
// A line may begin with a time ("10s", "0.5s"): timers that are due before it run first. Without
// one it happens right after the line before.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/core/core.h"
#include "jobs/core/invariants.h"

namespace ringmaster::scenarios {

class Stage {
 public:
  /// Plays a line; what the core did about it, each with its time. An error: nobody knows what the
  /// line means, or an invariant broke.
  Result<std::vector<std::string>> play(const std::string& line);

 private:
  Result<void> play_command(const std::string& command);
  Result<void> move_clock(Time to);
  Result<void> deliver(const jobs::Event& event);
  jobs::RankId rank_id(int number) const;
  const jobs::Job* job() const;

  jobs::Core core_;
  jobs::Invariants invariants_;
  Time now_;
  std::string reason_;  // of the job, as said last
  std::vector<std::string> said_;
};

}  // namespace ringmaster::scenarios

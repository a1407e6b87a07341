// SPDX-License-Identifier: Apache-2.0
//
// What is and what was, read from the journal by anybody who may read it: a core of one's own is
// brought to the coordinator's state, and the stories of jobs are there in words. So `status`,
// `events` and `explain` need no coordinator, and ended jobs stay readable.
//
// Thread rules: one thread; a running coordinator is not disturbed.
#pragma once

#include <memory>
#include <vector>

#include "jobs/coordinator/journal.h"
#include "jobs/core/core.h"
#include "launcher/host/state_home.h"

namespace ringmaster::launcher {

class Replay {
 public:
  static Result<Replay> open(const StateHome& home);

  /// Takes in what was written since the last call.
  Result<void> next() { return journal_->catch_up(core_, last_); }

  const jobs::State& state() const { return core_.state(); }
  const jobs::Journal& journal() const { return *journal_; }

  /// A job by its number or its name: the newest of that name. More than one that has not ended is
  /// an error that lists their numbers.
  Result<jobs::JobEntry> find_job(const std::string& word) const;

  /// A job as it is now or as it ended.
  struct Seen {
    jobs::JobEntry entry;
    jobs::Job job;
    std::int64_t steps = 0;  // finished, as far as anybody knows: no event tells each of them
  };
  Result<Seen> see(const std::string& word);
  /// Every job, in the order of their numbers.
  Result<std::vector<Seen>> see_all();

 private:
  explicit Replay(std::unique_ptr<jobs::Journal> journal) : journal_(std::move(journal)) {}
  /// Nothing when the job has ended, or was submitted, since the state was read.
  std::optional<Seen> complete(jobs::JobEntry entry) const;

  std::unique_ptr<jobs::Journal> journal_;
  jobs::Core core_;
  std::int64_t last_ = 0;
};

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// What happened, read from the journal by anybody who may read it: the same events into a core of
// one's own give the same decisions with their reasons. So `status`, `events` and `explain` need no
// coordinator, and ended jobs stay readable.
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

  /// An event and what followed from it.
  struct Told {
    double wall = 0;
    jobs::Event event;
    std::string text;  // in words, with the hosts' names of that moment
    jobs::Actions actions;
    std::vector<std::string> action_texts;
  };
  /// What was written since the last call.
  Result<std::vector<Told>> next();

  const jobs::State& state() const { return core_.state(); }
  const jobs::Journal& journal() const { return *journal_; }

  /// A job by its number or its name: the newest of that name. More than one that has not ended is
  /// an error that lists their numbers.
  Result<jobs::JobEntry> find_job(const std::string& word) const;

 private:
  explicit Replay(std::unique_ptr<jobs::Journal> journal) : journal_(std::move(journal)) {}
  std::unique_ptr<jobs::Journal> journal_;
  jobs::Core core_;
  std::int64_t last_ = 0;
};

/// The job that the event or action speaks of; 0: none, or several.
jobs::JobId job_of(const jobs::Event& event);
jobs::JobId job_of(const jobs::Action& action);

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// Lives of jobs as a core hears them, for benchmarks of the coordinator: no process, no host, only
// the events that right ranks would cause, one microsecond apart.
//
// Pure.
#pragma once

#include <functional>

#include "jobs/core/core.h"

namespace ringmaster::launcher {

class CoordinatorLoad {
 public:
  static constexpr int kRanks = 2;
  /// Who steps the core.
  using Step = std::function<void(Time, const jobs::Event&)>;
  CoordinatorLoad(jobs::Core& core, Step step) : core_(core), step_(std::move(step)) {}

  /// A host with room for everything; it does not belong to the core.
  void add_host();
  void lose_host();
  /// From its submission to the ring.
  jobs::JobId start_job();
  /// A rank is killed and its replacement joins: kHealEvents events.
  static constexpr int kHealEvents = 7;
  void heal(jobs::JobId job);
  /// From the ring to its end.
  void finish(jobs::JobId job);

 private:
  void step(const jobs::Event& event);
  const jobs::Job& job(jobs::JobId id) const { return core_.state().jobs.at(id); }

  jobs::Core& core_;
  Step step_;
  Time now_ = Time(std::chrono::seconds(1));
  std::int64_t jobs_ = 0;
};

}  // namespace ringmaster::launcher

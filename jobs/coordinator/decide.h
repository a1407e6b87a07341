// SPDX-License-Identifier: Apache-2.0
//
// One step of the core, with all that the journal keeps of it: the event, what people will want to
// read about it, and the jobs that it has ended. The next step forgets those, so their records are
// written together with the event.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/core/core.h"

namespace ringmaster::jobs {

/// An event of an agent's own count, which is never taken twice.
struct Source {
  HostId host;
  std::int64_t number = 0;
};

/// A line of a job's story: what happened, or what was decided about it.
struct StoryLine {
  JobId job;
  double wall = 0;
  bool decision = false;
  std::string name;  // event_name() or action_name()
  std::string text;  // in words, with the hosts' names of that moment; a report's own
};

struct EndedJob {
  EndJob end;
  Job job;                 // its last state
  std::int64_t steps = 0;  // finished by any rank, as far as anybody knows
};

struct Decided {
  Event event;
  Time time;        // of the coordinator's clock, which never goes back
  double wall = 0;  // seconds since 1970
  std::optional<Source> source = {};
  Actions actions = {};
  std::vector<StoryLine> story = {};
  std::vector<EndedJob> ended = {};
  /// Something that costs money is about to be made: the promise survives the machine.
  bool promises = false;
};

/// Steps the core.
Decided decide(Core& core, Time now, double wall, const Event& event);

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/invariants.h"

#include <fmt/format.h>

#include <set>

#include "jobs/core/placement.h"

namespace ringmaster::jobs {

namespace {

using Violations = std::vector<std::string>;

void check_table(const Job& job, Violations& violations) {
  std::set<Rank> numbers;
  for (const Member& member : job.table.members) {
    if (!numbers.insert(member.id.rank).second) {
      violations.push_back(fmt::format("job {}: rank {} is twice in generation {}", job.id.value,
                                       member.id.rank.value, job.table.generation.value));
    }
  }
  for (const RankRecord& rank : job.ranks) {
    // One that has finished stays behind when the others need another generation to finish in.
    const bool inside =
        (rank.state == RankState::member && !rank.finished) || rank.state == RankState::leaving;
    if (!inside) continue;
    bool found = false;
    for (const Member& member : job.table.members) found = found || member.id == rank.id;
    if (!found) {
      violations.push_back(fmt::format("job {}: rank {} is {} but not in generation {}",
                                       job.id.value, rank.id.rank.value, state_name(rank.state),
                                       job.table.generation.value));
    }
  }
}

void check_job(const Job& job, Violations& violations) {
  check_table(job, violations);
  if (job.ended()) {
    for (const RankRecord& rank : job.ranks) {
      if (rank.has_process()) {
        violations.push_back(fmt::format("job {} has ended and rank {} is {}", job.id.value,
                                         rank.id.rank.value, state_name(rank.state)));
      }
    }
  }
  if (job.reason.empty()) {
    violations.push_back(
        fmt::format("job {} is {} without a reason", job.id.value, state_name(job.state)));
  }
  if (job.restarts_used > job.spec.restarts) {
    violations.push_back(fmt::format("job {} used {} of {} restarts", job.id.value,
                                     job.restarts_used, job.spec.restarts));
  }
  if ((job.state == JobState::stopping) != (job.outcome.has_value() && !job.ended())) {
    violations.push_back(fmt::format("job {} is {} with{} an outcome", job.id.value,
                                     state_name(job.state), job.outcome ? "" : "out"));
  }
}

/// A generation is formed only of ranks that are in it, when nobody of an older one can interfere.
void check_formed(const State& state, const FormGeneration& formed, Violations& violations) {
  const Job& job = state.jobs.at(formed.job);
  if (formed.table.members.empty()) violations.push_back("a generation without members");
  for (const RankRecord& rank : job.ranks) {
    if (rank.state == RankState::leaving || rank.state == RankState::stopping) {
      violations.push_back(fmt::format("generation {} formed while rank {} is {}",
                                       formed.table.generation.value, rank.id.rank.value,
                                       state_name(rank.state)));
    }
  }
}

}  // namespace

Violations Invariants::check(const State& state, const Actions& actions) {
  Violations violations;
  for (const auto& [id, free] : free_slots(state)) {
    if (free < 0) violations.push_back(fmt::format("host {} has {} free slots", id.value, free));
  }
  for (const auto& [id, job] : state.jobs) {
    check_job(job, violations);
    Seen& seen = seen_[id];
    if (job.table.generation < seen.generation || job.last_incarnation < seen.incarnation) {
      violations.push_back(fmt::format("job {}: a generation or an incarnation shrank", id.value));
    }
    if (seen.ended && !job.ended()) {
      violations.push_back(fmt::format("job {} has ended and goes on", id.value));
    }
    seen = {job.table.generation, job.last_incarnation, job.ended()};
  }
  for (const Action& action : actions) {
    if (const auto* formed = std::get_if<FormGeneration>(&action)) {
      check_formed(state, *formed, violations);
    }
  }
  return violations;
}

}  // namespace ringmaster::jobs

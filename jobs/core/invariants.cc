// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/invariants.h"

#include <fmt/format.h>

#include <algorithm>
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

/// A process runs on a host that is there; what was made for jobs goes when none is left.
void check_hosts(const State& state, Violations& violations) {
  bool wanted = false;
  std::set<HostId> used;
  for (const auto& [id, job] : state.jobs) {
    wanted = wanted || (!job.ended() && job.spec.hosts_max > 0);
    for (const RankRecord& rank : job.ranks) {
      if (!rank.has_process()) continue;
      used.insert(rank.host);
      const auto host = state.hosts.find(rank.host);
      const bool there = host != state.hosts.end() && (host->second.state == HostState::up ||
                                                       host->second.state == HostState::draining);
      if (there) continue;
      violations.push_back(fmt::format("job {}: rank {} is {} on host {}, which is not there",
                                       id.value, rank.id.rank.value, state_name(rank.state),
                                       rank.host.value));
    }
  }
  for (const auto& [id, host] : state.hosts) {
    // One that another job has found room on stays until that job leaves it.
    if (host.created && host.state != HostState::releasing && !wanted && !used.contains(id)) {
      violations.push_back(
          fmt::format("host {} is {} and no job needs it", id.value, state_name(host.state)));
    }
  }
}

/// Jobs that run at the same time do not meet at one port.
void check_meetings(const State& state, Violations& violations) {
  std::map<std::pair<HostId, int>, JobId> taken;
  for (const auto& [id, job] : state.jobs) {
    if (job.ended() || job.meeting.port == 0) continue;
    const auto [at, added] = taken.try_emplace({job.meeting.host, job.meeting.port}, id);
    if (added) continue;
    violations.push_back(fmt::format("jobs {} and {} meet at port {} of host {}", at->second.value,
                                     id.value, job.meeting.port, job.meeting.host.value));
  }
}

/// No more hosts are made than a job allows. Several jobs may have asked in one step, each for
/// less.
void check_created(const State& state, const CreateHost& created, Violations& violations) {
  const auto host = state.hosts.find(created.host);
  if (host == state.hosts.end()) {
    violations.push_back(fmt::format("host {} is made without a promise", created.host.value));
    return;
  }
  int staying = 0;
  for (const auto& [id, other] : state.hosts) {
    const bool stays = other.state == HostState::creating || other.state == HostState::up;
    staying += other.created && stays ? 1 : 0;
  }
  int most = 0;
  for (const auto& [id, job] : state.jobs) most = std::max(most, job.spec.hosts_max);
  if (staying > most) {
    violations.push_back(fmt::format("{} hosts were made, {} are allowed", staying, most));
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
  if (job.saves.opening) violations.push_back("a generation formed while a term is being opened");
  if (formed.table.restore && job.state_exists) {
    violations.push_back("a generation goes back to a checkpoint while a state exists");
  }
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
  check_hosts(state, violations);
  std::erase_if(seen_, [&](const auto& at) { return !state.jobs.contains(at.first); });
  check_meetings(state, violations);
  for (const auto& [id, job] : state.jobs) {
    check_job(job, violations);
    if (state.last_job < id) {
      violations.push_back(
          fmt::format("job {} is newer than the newest, {}", id.value, state.last_job.value));
    }
    Seen& seen = seen_[id];
    if (seen.ended) violations.push_back(fmt::format("job {} has ended and stays", id.value));
    if (job.table.generation < seen.generation || job.last_incarnation < seen.incarnation) {
      violations.push_back(fmt::format("job {}: a generation or an incarnation shrank", id.value));
    }
    const Saves& saves = job.saves;
    // A new term may find the newest one damaged: within a term nothing is taken back.
    const bool shrank = saves.term == seen.term && saves.durable.steps < seen.durable_steps;
    if (saves.term < seen.term || shrank) {
      violations.push_back(fmt::format("job {}: a term or its durable step shrank", id.value));
    }
    seen = {job.table.generation, job.last_incarnation, job.ended(), saves.term,
            saves.durable.steps};
  }
  for (const Action& action : actions) {
    if (const auto* formed = std::get_if<FormGeneration>(&action)) {
      check_formed(state, *formed, violations);
    }
    if (const auto* created = std::get_if<CreateHost>(&action)) {
      check_created(state, *created, violations);
    }
  }
  return violations;
}

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
//
// Which hosts are made and which are given back.
//
// A job says how many hosts may be made for it. One is made when its ranks lack slots and fewer of
// its kind are there; hosts that will be taken do not count, so their replacements are under way as
// soon as the notice is heard. Any job may use any host: a second one that asks for two hosts of
// the same kind shares the two that are there. A host goes when no job that could use it is left.
#include <fmt/format.h>

#include <algorithm>

#include "jobs/core/handlers.h"
#include "jobs/core/placement.h"

namespace ringmaster::jobs {

namespace {

/// A host that has not joined by then is given back: its maker has lost it.
constexpr Duration kCreateTimeout = std::chrono::minutes(2);
/// So many hosts in a row that come to nothing end the job: the next one would not be better.
constexpr int kHostFailuresMax = 5;
constexpr Duration kFirstPause = std::chrono::milliseconds(500);  // doubles with each failure

/// Hosts that were made, or are being made, and stay.
int count_staying(const State& state) {
  return static_cast<int>(std::count_if(state.hosts.begin(), state.hosts.end(), [](const auto& at) {
    const HostState now = at.second.state;
    return at.second.created && (now == HostState::creating || now == HostState::up);
  }));
}

int slots_to_come(const State& state) {
  int slots = 0;
  for (const auto& [id, host] : state.hosts) {
    if (host.state == HostState::creating) slots += host.slots;
  }
  return slots;
}

int slots_free(const State& state) {
  int slots = 0;
  for (const auto& [id, free] : free_slots(state)) {
    if (state.hosts.at(id).takes_ranks()) slots += free;
  }
  return slots;
}

/// Ranks that need a slot: those without a process, and those whose host will be taken.
int count_homeless(const State& state, const Job& job) {
  int homeless = job.count(RankState::absent);
  for (const RankRecord& rank : job.ranks) {
    if (!rank.has_process()) continue;
    const auto host = state.hosts.find(rank.host);
    if (host != state.hosts.end() && host->second.state == HostState::draining) ++homeless;
  }
  return homeless;
}

void create_hosts(State& state, Job& job, Time now, int& unclaimed, Actions& actions) {
  int lacking = count_homeless(state, job);
  const int taken = std::min(lacking, unclaimed);  // slots that are there or will be
  lacking -= taken;
  unclaimed -= taken;
  while (lacking > 0 && count_staying(state) < job.spec.hosts_max) {
    if (now < job.next_host) {
      job.host_due = job.next_host;
      return;
    }
    Host host;
    host.id = HostId{state.last_host.value + 1};
    host.name = fmt::format("local-{}", host.id.value);
    host.slots = job.spec.host_slots;
    host.state = HostState::creating;
    host.created = true;
    host.wanted_by = job.id;
    host.since = now;
    host.reason = fmt::format("job {} lacks {} slots", job.spec.name, lacking);
    state.last_host = host.id;
    state.hosts[host.id] = host;
    actions.push_back(CreateHost{host.id, host.name, host.slots, host.reason});
    lacking -= host.slots;
    unclaimed += std::max(0, -lacking);
  }
}

bool is_used(const State& state, const Host& host) {
  for (const auto& [id, job] : state.jobs) {
    for (const RankRecord& rank : job.ranks) {
      if (rank.has_process() && rank.host == host.id) return true;
    }
  }
  return false;
}

bool is_wanted(const State& state) {
  return std::any_of(state.jobs.begin(), state.jobs.end(), [](const auto& at) {
    return !at.second.ended() && at.second.spec.hosts_max > 0;
  });
}

void release(Host& host, Time now, const std::string& why, Actions& actions) {
  host.state = HostState::releasing;
  host.since = now;
  host.reason = why;
  actions.push_back(ReleaseHost{host.id, why});
}

void release_hosts(State& state, Time now, Actions& actions) {
  const bool wanted = is_wanted(state);
  for (auto& [id, host] : state.hosts) {
    if (!host.created || host.state == HostState::releasing || is_used(state, host)) continue;
    if (!wanted) release(host, now, "no job needs it", actions);
    const bool emptied = host.state == HostState::draining;
    if (wanted && emptied) release(host, now, "its ranks have moved", actions);
    if (host.state != HostState::creating || now < host.since + kCreateTimeout) continue;
    const auto job = state.jobs.find(host.wanted_by);
    const std::string why =
        fmt::format("host {} did not join in {:.0f} s", host.name, to_seconds(kCreateTimeout));
    release(host, now, why, actions);
    if (job != state.jobs.end()) host_failed(job->second, now, why, actions);
  }
}

}  // namespace

void host_failed(Job& job, Time now, const std::string& why, Actions& actions) {
  if (job.ended() || job.outcome) return;
  job.next_host = now + kFirstPause * (1 << std::min(job.host_failures, kHostFailuresMax));
  actions.push_back(Report{job.id, why});
  if (++job.host_failures < kHostFailuresMax) return;
  stop_job(job, now,
           {JobState::failed, 1,
            fmt::format("{} hosts in a row failed; the last: {}", job.host_failures, why)},
           15, actions);
}

void advance_hosts(State& state, Time now, Actions& actions) {
  release_hosts(state, now, actions);
  int unclaimed = slots_free(state) + slots_to_come(state);
  for (auto& [id, job] : state.jobs) {
    job.host_due.reset();
    if (job.ended() || job.outcome || job.finishing || job.spec.hosts_max == 0) continue;
    create_hosts(state, job, now, unclaimed, actions);
  }
}

std::optional<Time> next_host_timer(const State& state) {
  std::optional<Time> next;
  const auto consider = [&](Time time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& [id, host] : state.hosts) {
    if (host.state == HostState::creating) consider(host.since + kCreateTimeout);
  }
  for (const auto& [id, job] : state.jobs) {
    if (job.host_due && !job.ended() && !job.outcome) consider(*job.host_due);
  }
  return next;
}

}  // namespace ringmaster::jobs

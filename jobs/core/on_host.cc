// SPDX-License-Identifier: Apache-2.0
//
// A host came or went, or will go.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

namespace {

void enter(Host& host, HostState next, Time now, std::string reason) {
  host.state = next;
  host.since = now;
  host.reason = std::move(reason);
}

void lose_ranks(State& state, HostId host, Time now, const std::string& why, Actions& actions) {
  for (auto& [id, job] : state.jobs) {
    for (RankRecord& rank : job.ranks) {
      if (rank.has_process() && rank.host == host) lose_rank(job, rank, now, why, actions);
    }
  }
}

/// What was made by us is released, whatever became of it: the answer says that nothing is left.
void release_or_forget(State& state, Host& host, Time now, const std::string& why,
                       Actions& actions) {
  if (!host.created) {
    state.hosts.erase(host.id);
    return;
  }
  enter(host, HostState::releasing, now, why);
  actions.push_back(ReleaseHost{host.id, why});
}

}  // namespace

void on_host_joined(State& state, Time now, const HostJoined& event, Actions&) {
  CHECK_LT(0, event.slots);
  state.last_host = std::max(state.last_host, event.host);
  const auto found = state.hosts.find(event.host);
  if (found == state.hosts.end()) {
    Host& host = state.hosts[event.host];
    host.id = event.host;
    host.name = event.name;
    host.slots = event.slots;
    host.address = event.address;
    host.ports = event.ports;
    enter(host, HostState::up, now, "joined");
    return;
  }
  // One that is being released has joined too late: its release is under way.
  Host& host = found->second;
  if (host.state != HostState::creating) return;
  host.address = event.address;
  host.ports = event.ports;
  enter(host, HostState::up, now, "joined");
  const auto job = state.jobs.find(host.wanted_by);
  if (job != state.jobs.end()) job->second.host_failures = 0;
}

void on_host_create_failed(State& state, Time now, const HostCreateFailed& event,
                           Actions& actions) {
  const auto found = state.hosts.find(event.host);
  if (found == state.hosts.end() || found->second.state != HostState::creating) return;
  const auto job = state.jobs.find(found->second.wanted_by);
  const std::string why = fmt::format("host {} was not made: {}", found->second.name, event.why);
  release_or_forget(state, found->second, now, why, actions);
  if (job != state.jobs.end()) host_failed(job->second, now, why, actions);
}

void on_host_notice(State& state, Time now, const HostNotice& event, Actions& actions) {
  const auto found = state.hosts.find(event.host);
  if (found == state.hosts.end() || found->second.state != HostState::up) return;
  Host& host = found->second;
  enter(host, HostState::draining, now, event.why);
  host.deadline = event.deadline;
  for (auto& [id, job] : state.jobs) {
    const bool there = std::any_of(job.ranks.begin(), job.ranks.end(), [&](const RankRecord& rank) {
      return rank.has_process() && rank.host == host.id;
    });
    if (!there || job.ended()) continue;
    actions.push_back(Report{id, fmt::format("host {} will be taken in {:.1f} s: {}", host.name,
                                             to_seconds(event.deadline - now), event.why)});
    ask_for_save(job, fmt::format("host {} will be taken", host.name), actions);
  }
}

void on_host_lost(State& state, Time now, const HostLost& event, Actions& actions) {
  const auto found = state.hosts.find(event.host);
  if (found == state.hosts.end() || found->second.state == HostState::releasing) return;
  const std::string why = fmt::format("host {} lost: {}", found->second.name, event.why);
  const bool was_creating = found->second.state == HostState::creating;
  const auto job = state.jobs.find(found->second.wanted_by);
  release_or_forget(state, found->second, now, why, actions);
  lose_ranks(state, event.host, now, why, actions);
  if (was_creating && job != state.jobs.end()) host_failed(job->second, now, why, actions);
}

void on_host_released(State& state, Time, const HostReleased& event, Actions&) {
  const auto found = state.hosts.find(event.host);
  if (found == state.hosts.end() || found->second.state != HostState::releasing) return;
  state.hosts.erase(found);
}

}  // namespace ringmaster::jobs

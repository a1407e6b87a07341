// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace ringmaster::jobs::simulator {
namespace {

bool is_inside_a_generation(const Process& process) {
  switch (process.phase) {
    case Point::gathering:
    case Point::receiving:
    case Point::computing:
    case Point::reducing:
    case Point::stepped:
    case Point::finishing:
    case Point::leaving:
      return true;
    case Point::booting:
    case Point::waiting:
    case Point::exiting:
    case Point::running:
      return false;
  }
  CHECK(false);
}

}  // namespace

void check_start(World& world, const RankId& id) {
  for (const Process& other : world.processes) {
    if (!other.alive || other.id.rank != id.rank) continue;
    world.violate(fmt::format("rank {} starts as process {} while its process {} lives",
                              id.rank.value, id.incarnation.value, other.id.incarnation.value));
  }
}

void check_formed(World& world, const GenerationTable& table) {
  for (const auto& [generation, ring] : world.rings) {
    if (generation < table.generation) continue;
    world.violate(fmt::format("generation {} formed after generation {}", table.generation.value,
                              generation.value));
  }
  const bool held = std::ranges::any_of(table.members, [&](const Member& member) {
    const Process* process = world.living(member.id);
    return process == nullptr || process->weights.exist;  // who has just died may have held it
  });
  // One that ended with success before its time is taken at its word: it had what it wanted.
  if (!held && !table.restore && world.succeeded == 0 && !world.store.committed.empty()) {
    world.violate(fmt::format("generation {} begins from nothing, and step {} was committed",
                              table.generation.value, world.store.committed.rbegin()->first));
  }
  for (const Process& process : world.processes) {
    if (!process.alive || !is_inside_a_generation(process)) continue;
    world.violate(fmt::format("generation {} forms while rank {} (process {}) is {} in {}",
                              table.generation.value, process.id.rank.value,
                              process.id.incarnation.value, point_name(process.phase),
                              process.generation.value));
  }
}

void check_restored(World& world, const CheckpointAt& at) {
  const auto& committed = world.store.committed;
  const std::int64_t newest = committed.empty() ? kNoState : committed.rbegin()->first;
  if (at.steps != newest) {
    world.violate(
        fmt::format("the job goes back to step {}, and step {} was committed", at.steps, newest));
  }
  for (const Process& process : world.processes) {
    if (!process.alive || process.weights.steps() <= 0) continue;
    world.violate(fmt::format("the job goes back to step {} while rank {} holds {} steps", at.steps,
                              process.id.rank.value, process.weights.steps()));
  }
}

void check_synced(World& world, const Process& process) {
  for (const Process& other : world.processes) {
    if (!other.alive || other.weights.steps() <= process.weights.steps()) continue;
    world.violate(
        fmt::format("generation {} goes on with {} steps while rank {} lives and has finished {}",
                    process.generation.value, process.weights.steps(), other.id.rank.value,
                    other.weights.steps()));
  }
}

void check_finished(World& world, const Process& process) {
  const std::int64_t rank = process.id.rank.value;
  if (process.weights.steps() != world.plan.steps) {
    world.violate(fmt::format("rank {} ends its work with {} of {} steps", rank,
                              process.weights.steps(), world.plan.steps));
  }
  for (std::size_t step = 0; step < process.weights.history.size(); ++step) {
    const FinishedStep& finished = process.weights.history[step];
    if (finished.counted == kBatch) continue;
    world.violate(fmt::format("step {} of the final history counts {} of {} places", step,
                              finished.counted, kBatch));
  }
  for (const Process& other : world.processes) {
    const FakeHost& host = world.hosts.at(other.host);
    const bool unheard = !host.alive || !host.reachable;  // its end went down with its host
    if (other.phase != Point::exiting || unheard || other.weights == process.weights) continue;
    world.violate(fmt::format("ranks {} and {} end their work with different weights", rank,
                              other.id.rank.value));
  }
}

void check_gives_up(World& world, const Actions& actions) {
  const Job& job = *world.job();
  if (job.outcome->reason.find("no rank that held the state") == std::string::npos) return;
  // With restarts left no rank is missing for good.
  if (job.restarts_used < job.spec.restarts && !world.store.committed.empty()) {
    world.violate(fmt::format("the state is given up and step {} of it is in the store",
                              world.store.committed.rbegin()->first));
  }
  std::set<Incarnation> killed;  // in this very step: they kept the others waiting for too long
  for (const Action& action : actions) {
    const auto* signal = std::get_if<SignalRank>(&action);
    if (signal != nullptr && signal->signal == SIGKILL) killed.insert(signal->id.incarnation);
  }
  for (const Process& process : world.processes) {
    const bool doomed = process.sentenced || killed.contains(process.id.incarnation);
    if (!process.alive || doomed || process.weights.steps() <= 0) continue;
    world.violate(fmt::format("the state is given up while rank {} holds {} steps of it",
                              process.id.rank.value, process.weights.steps()));
  }
}

/// Where nothing went wrong, the work's result is in the store before the job is over.
void check_saved(World& world) {
  bool whole = !world.store.spoiled && world.life == 0;
  for (const Process& process : world.processes) {
    whole = whole && process.exited_well && process.phase == Point::exiting;
  }
  for (const auto& [id, host] : world.hosts) whole = whole && host.alive && host.reachable;
  if (!whole || !world.plan.spec.saves() || world.plan.plain) return;
  if (world.store.committed.contains(world.plan.steps)) return;
  world.violate("the job is done, and its last step is not in the store");
}

void check_end(World& world, const EndJob& end) {
  if (world.end) world.violate("the job ends a second time");
  for (const Process& process : world.processes) {
    if (!process.alive) continue;
    world.violate(fmt::format("the job has ended and rank {} (process {}) lives",
                              process.id.rank.value, process.id.incarnation.value));
  }
  if (const std::string wrong = world.root_cause.judge(end); !wrong.empty()) world.violate(wrong);
  bool worked = world.plan.plain || world.succeeded > 0;
  for (const Process& process : world.processes) {
    worked = worked || process.phase == Point::exiting;
  }
  if (end.state == JobState::done && !worked) {
    world.violate("the job is done, and no rank has ended its work");
  }
  if (end.state == JobState::done) check_saved(world);
}

bool check_stuck(World& world) {
  if (world.end) return false;
  const Job* job = world.job();
  int slots = 0;
  for (const auto& [id, host] : world.core.state().hosts) slots += host.slots;
  const auto succeeded = std::ranges::count_if(job->ranks, &RankRecord::succeeded);
  const int needed = std::max(1, job->spec.ranks_min - static_cast<int>(succeeded));
  const bool lacks_hosts = slots < needed && job->count(RankState::absent) > 0;
  if (lacks_hosts && !world.user_gave_up) return true;
  world.violate(fmt::format("nothing more will happen, and the job is {}: {}",
                            state_name(job->state), job->reason));
  return false;
}

}  // namespace ringmaster::jobs::simulator

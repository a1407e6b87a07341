// SPDX-License-Identifier: Apache-2.0
//
// The core and what it orders, with the bugs that can be planted on the way.
#include <fmt/format.h>

#include <csignal>

#include "jobs/simulator/describe.h"
#include "jobs/simulator/properties.h"
#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {
namespace {

/// Every so many starts the planted bug strikes.
constexpr std::int64_t kStartsBetweenBugs = 4;
/// How long a process lives on after the planted bug has reported it dead.
constexpr Duration kLivesOn = std::chrono::seconds(30);

HostId host_of(const World& world, const RankId& id) {
  return world.job()->ranks.at(static_cast<std::size_t>(id.rank.value)).host;
}

void perform(World& world, const StartRank& action) {
  const bool strikes = ++world.starts % kStartsBetweenBugs == 0;
  if (world.options.bug == PlantedBug::dropped_start && strikes) return;
  const auto start = [&world, action] { start_process(world, action.host, action.id); };
  order(world, action.host, start);
  if (world.options.bug == PlantedBug::duplicate_start && strikes) {
    order(world, action.host, start);
  }
}

void perform(World& world, const SignalRank& action) {
  const HostId host = host_of(world, action.id);
  if (world.options.bug == PlantedBug::early_exit_report && action.signal == SIGKILL) {
    tell(world, host, RankExited{action.id, {0, SIGKILL}, kNoState});
    world.queue.after(kLivesOn, [&world, action] { signal_process(world, action.id, SIGKILL); });
    return;
  }
  if (Process* process = world.living(action.id); process != nullptr && action.signal == SIGKILL) {
    process->sentenced = true;
  }
  order(world, host, [&world, action] { signal_process(world, action.id, action.signal); });
}

std::set<HostId> hosts_of(const GenerationTable& table) {
  std::set<HostId> hosts;
  for (const Member& member : table.members) hosts.insert(member.host);
  return hosts;
}

void perform(World& world, const AbortGeneration& action) {
  for (const HostId host : hosts_of(world.rings.at(action.generation).table())) {
    order(world, host, [&world, host, action] { abort_on_host(world, host, action.generation); });
  }
}

void perform(World& world, const FormGeneration& action) {
  check_formed(world, action.table);
  const Generation generation = action.table.generation;
  world.rings.emplace(generation, Ring(action.table));
  world.outcome.generations = generation.value;
  for (const HostId host : hosts_of(action.table)) {
    order(world, host, [&world, host, generation] { enter_on_host(world, host, generation); });
  }
}

void perform(World& world, const EndJob& action) {
  check_end(world, action);
  world.end = action;
}

void perform(World&, const Report&) {}  // for people: it is in the trace

/// Wakes the core when it wants to be woken, once.
void arm_timer(World& world) {
  const auto next = world.core.next_timer();
  if (!next || (world.timer && *world.timer <= *next)) return;
  world.timer = std::max(*next, world.queue.now());
  world.queue.at(*world.timer, [&world, due = *world.timer] {
    if (world.timer != due) return;  // an earlier one was armed since
    world.timer.reset();
    const auto wanted = world.core.next_timer();
    if (wanted && *wanted <= world.queue.now()) {
      deliver(world, TimerExpired{});
    } else {
      arm_timer(world);
    }
  });
}

}  // namespace

void deliver(World& world, const Event& event) {
  if (world.options.trace) world.trace(describe(event, world.core.state()));
  world.root_cause.before(event, world.job());
  const bool stopping = world.job() != nullptr && world.job()->outcome.has_value();
  const Actions actions = world.core.step(world.queue.now(), event);
  world.root_cause.after(actions);
  world.outcome.coverage.count(event, actions, world.core.state());
  for (const std::string& text : world.invariants.check(world.core.state(), actions)) {
    world.violate(text);
  }
  const Job* job = world.job();
  if (!stopping && job != nullptr && job->outcome) check_gives_up(world, actions);
  for (const Action& action : actions) {
    if (world.options.trace) world.trace("  -> " + describe(action, world.core.state()));
    std::visit([&world](const auto& one) { perform(world, one); }, action);
  }
  arm_timer(world);
}

}  // namespace ringmaster::jobs::simulator

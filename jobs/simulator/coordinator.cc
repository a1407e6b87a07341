// SPDX-License-Identifier: Apache-2.0
//
// The core and what it orders, with the bugs that can be planted on the way.
#include <fmt/format.h>

#include <csignal>

#include "jobs/core/describe.h"
#include "jobs/core/dump.h"
#include "jobs/core/outstanding.h"
#include "jobs/simulator/properties.h"
#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {
namespace {

/// Every so many starts the planted bug strikes.
constexpr std::int64_t kStartsBetweenBugs = 4;
/// How long a process lives on after the planted bug has reported it dead.
constexpr Duration kLivesOn = std::chrono::seconds(30);

/// How long no coordinator runs.
constexpr Duration kAbsenceMax = std::chrono::seconds(5);

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

void perform(World& world, const CreateHost& action) {
  create_host(world, action);
}

void perform(World& world, const ReleaseHost& action) {
  release_host(world, action.host);
}

void perform(World& world, const SignalRank& action) {
  const HostId host = host_of(world, action.id);
  if (world.options.bug == PlantedBug::early_exit_report && action.signal == SIGKILL) {
    tell(world, host, RankExited{action.id, {0, SIGKILL}, kNoState});
    world.queue.after(kLivesOn,
                      [&world, host, action] { signal_process(world, host, action.id, SIGKILL); });
    return;
  }
  if (Process* process = world.living(action.id); process != nullptr && action.signal == SIGKILL) {
    process->sentenced = true;
  }
  order(world, host,
        [&world, host, action] { signal_process(world, host, action.id, action.signal); });
}

std::set<HostId> hosts_of(const GenerationTable& table) {
  std::set<HostId> hosts;
  for (const Member& member : table.members) hosts.insert(member.host);
  return hosts;
}

void perform(World& world, const AbortGeneration& action) {
  for (const HostId host : hosts_of(world.job()->table)) {
    order(world, host, [&world, host, action] { abort_on_host(world, host, action.generation); });
  }
}

void perform(World& world, const FormGeneration& action) {
  const Generation generation = action.table.generation;
  if (!world.rings.contains(generation)) {  // else it is said again
    check_formed(world, action.table);
    if (action.table.restore) check_restored(world, *action.table.restore);
    world.rings.emplace(generation, Ring(action.table));
  }
  world.outcome.generations = generation.value;
  for (const HostId host : hosts_of(action.table)) {
    order(world, host, [&world, host, generation] { enter_on_host(world, host, generation); });
  }
}

void perform(World& world, const EndJob& action) {
  if (world.life > 0 && world.end && world.end->reason == action.reason) return;  // said again
  check_end(world, action);
  world.end = action;
}

void perform(World&, const Report&) {}  // for people: it is in the trace

void perform(World& world, const OpenTerm& action) {
  open_term(world, action);
}

void perform(World& world, const CommitCheckpoint& action) {
  commit_checkpoint(world, action);
}

void perform(World& world, const AskForSave&) {
  for (const HostId host : hosts_of(world.job()->table)) {
    order(world, host, [&world, host] { world.asked.insert(host); });
  }
}

/// Wakes the core when it wants to be woken, once.
void arm_timer(World& world) {
  if (world.down) return;
  const auto next = world.core.next_timer();
  if (!next || (world.timer && *world.timer <= *next)) return;
  world.timer = std::max(*next, world.queue.now());
  world.queue.at(*world.timer, [&world, due = *world.timer] {
    if (world.timer != due || world.down) return;  // an earlier one was armed since
    world.timer.reset();
    const auto wanted = world.core.next_timer();
    if (wanted && *wanted <= world.queue.now()) {
      deliver(world, TimerExpired{});
    } else {
      arm_timer(world);
    }
  });
}

void come_back(World& world);

void die_and_return(World& world) {
  world.trace("fault: the coordinator dies");
  world.crash_in = -1;
  world.down = true;
  world.timer.reset();
  ++world.life;
  world.queue.after(up_to(world.random, kAbsenceMax), [&world] { come_back(world); });
}

void perform_all(World& world, const Actions& actions) {
  for (const Action& action : actions) {
    const bool planned = world.performed == world.options.crash_at && world.life == 0;
    if (world.crash_in == 0 || planned) return die_and_return(world);
    if (world.crash_in > 0) --world.crash_in;
    ++world.performed;
    if (world.options.trace) world.trace("  -> " + describe(action, world.core.state()));
    std::visit([&world](const auto& one) { perform(world, one); }, action);
  }
}

/// The next coordinator knows what the journal holds, and repeats what was not answered.
void come_back(World& world) {
  Core replayed;
  for (const auto& [time, event] : world.journal) static_cast<void>(replayed.step(time, event));
  if (dump(replayed.state()) != dump(world.core.state())) {
    world.violate("a replay of the journal gives another state");
  }
  world.core = std::move(replayed);
  world.down = false;
  world.trace("fault over: the coordinator is back");
  perform_all(world, outstanding(world.core.state()));
  std::vector<HostId> hosts;
  for (const auto& [id, host] : world.core.state().hosts) hosts.push_back(id);
  for (const HostId id : hosts) repeat_orders(world, id);
  std::deque<Event> unheard;
  unheard.swap(world.unheard);
  for (const Event& event : unheard) deliver(world, event);
  arm_timer(world);
}

}  // namespace

void crash_coordinator(World& world, int actions) {
  if (!world.down) world.crash_in = actions;
}

void repeat_orders(World& world, HostId host) {
  if (!world.down) perform_all(world, outstanding_ranks(world.core.state(), host));
}

void deliver(World& world, const Event& event) {
  if (world.down) return world.unheard.push_back(event);
  world.journal.emplace_back(world.queue.now(), event);
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
  perform_all(world, actions);
  arm_timer(world);
}

}  // namespace ringmaster::jobs::simulator

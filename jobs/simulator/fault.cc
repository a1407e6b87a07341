// SPDX-License-Identifier: Apache-2.0
//
// The faults, each at the point of a rank's life that the plan names.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The core hears that the host is gone, and perhaps another one comes.
void lose_host(World& world, HostId id, const std::string& why) {
  FakeHost& host = world.hosts.at(id);
  host.alive = false;
  for (Process& process : world.processes) {
    if (process.host == id) process.alive = false;
  }
  // Not before what it has sent earlier has arrived.
  world.queue.at(std::max(world.queue.now(), host.last_in), [&world, id, why] {
    deliver(world, HostLost{id, why});
    if (!world.plan.hosts_are_replaced || world.hosts.at(id).created) return;
    const int slots = world.hosts.at(id).slots;
    world.queue.after(up_to(world.random, seconds(60)), [&world, slots] {
      if (!world.end) add_host(world, slots);
    });
  });
}

void cut_off_host(World& world, HostId id) {
  FakeHost& host = world.hosts.at(id);
  if (!host.alive || !host.reachable) return;
  host.reachable = false;
  for (Process& process : world.processes) {
    if (process.host == id) process.sentenced = true;
  }
  // The agent ends its ranks at the end of its lease; the core waits for a little longer than that.
  world.queue.after(world.plan.lease, [&world, id] { lose_host(world, id, "lease over"); });
}

void stall_host(World& world, HostId id) {
  FakeHost& host = world.hosts.at(id);
  const Duration stall = seconds(1) + up_to(world.random, seconds(20));
  host.last_in = std::max(host.last_in, world.queue.now() + stall);
  host.last_out = std::max(host.last_out, world.queue.now() + stall);
}

/// A notice, and the loss when its time is over, if the core has not given the host back by then.
void announce_reclaim(World& world, HostId id) {
  const Duration window = up_to(world.random, seconds(120));
  tell(world, id, HostNotice{id, world.queue.now() + window, "spot reclaim"});
  world.queue.after(window, [&world, id] { crash_host(world, id, "taken back"); });
}

void ask_to_stop(World& world, bool twice) {
  const bool person = world.random.chance(0.5);
  const StopRequested stop = {kJob, person ? "ctrl-C" : "time limit", person ? SIGINT : SIGTERM,
                              person ? 128 + SIGINT : 1, false};
  const auto ask = [&world](StopRequested request, Duration delay) {
    world.queue.after(delay, [&world, request] { deliver(world, request); });
  };
  const Duration delay = up_to(world.random, milliseconds(20));
  ask(stop, delay);
  StopRequested again = stop;
  again.now = true;
  if (twice) ask(again, delay + up_to(world.random, seconds(3)));
}

void fail_with_code(World& world, Process& process) {
  const int code = between(world.random, 1, 3);
  if (world.random.chance(0.5)) {
    tell(world, process.host, RankFailed{process.id, "the data is damaged"});
  }
  die(world, process, {code, 0});
}

void kill_with_others(World& world, Process& process) {
  die(world, process, {0, SIGKILL});
  for (Process& other : world.processes) {
    if (other.alive && world.random.chance(0.5)) die(world, other, {0, SIGKILL});
  }
}

void kill_all(World& world) {
  // With their hosts nobody is left to say how they ended.
  const bool hosts_too = world.random.chance(0.5);
  if (hosts_too) {
    for (const auto& [id, host] : world.hosts) crash_host(world, id, "power cut");
  }
  for (Process& process : world.processes) {
    if (process.alive) die(world, process, {0, SIGKILL});
  }
}

void strike(World& world, Process& process, FaultKind kind) {
  switch (kind) {
    case FaultKind::kill:
      return die(world, process, {0, SIGKILL});
    case FaultKind::kill_several:
      return kill_with_others(world, process);
    case FaultKind::kill_all:
      return kill_all(world);
    case FaultKind::host_crash:
      return crash_host(world, process.host, "no heartbeat");
    case FaultKind::host_notice:
      return announce_reclaim(world, process.host);
    case FaultKind::line_break:
      return break_line(world, process.host, up_to(world.random, seconds(5)));
    case FaultKind::coordinator_crash:
      return crash_coordinator(world, between(world.random, 0, 6));
    case FaultKind::host_partition:
      return cut_off_host(world, process.host);
    case FaultKind::host_stall:
      return stall_host(world, process.host);
    case FaultKind::stop:
      return ask_to_stop(world, false);
    case FaultKind::stop_twice:
      return ask_to_stop(world, true);
    case FaultKind::exit_code:
      return fail_with_code(world, process);
    case FaultKind::exit_early:
      return die(world, process, {0, 0});
    case FaultKind::start_error:
      return;  // struck when a process was to start
    case FaultKind::slow_start:
      process.boots_late = true;
      return;
    case FaultKind::slow_leave:
      process.leaves_late = true;
      return;
    case FaultKind::ignore_signal:
      process.ignores_signals = true;
      return;
  }
}

}  // namespace

void crash_host(World& world, HostId id, const std::string& why) {
  FakeHost& host = world.hosts.at(id);
  if (!host.alive || !host.reachable) return;
  host.alive = false;
  for (Process& process : world.processes) {
    if (process.host == id) process.alive = false;
  }
  world.queue.after(world.plan.lease, [&world, id, why] { lose_host(world, id, why); });
}

void pass_point(World& world, Process& process, Point point) {
  auto& faults = world.plan.faults;
  for (std::size_t i = 0; i < faults.size() && process.alive; ++i) {
    Fault& fault = faults[i];
    const bool elsewhere = fault.point != point || fault.kind == FaultKind::start_error;
    if (elsewhere || fault.countdown-- != 0) continue;
    world.trace(fmt::format("fault: {} while rank {} (process {}) is {}", fault_name(fault.kind),
                            process.id.rank.value, process.id.incarnation.value,
                            point_name(point)));
    world.outcome.coverage.count(fault);
    strike(world, process, fault.kind);
  }
}

bool takes_start_error(World& world) {
  for (Fault& fault : world.plan.faults) {
    if (fault.kind != FaultKind::start_error || fault.countdown-- != 0) continue;
    world.outcome.coverage.count(fault);
    return true;
  }
  return false;
}

}  // namespace ringmaster::jobs::simulator

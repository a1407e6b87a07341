// SPDX-License-Identifier: Apache-2.0
//
// A host: its messages to and from the core, and what it does with its processes.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "jobs/simulator/properties.h"
#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {
namespace {

constexpr int kNoSuchProgram = 127;
/// A polite signal takes its time: a program may write something before it goes.
constexpr Duration kPoliteExitMax = std::chrono::seconds(8);  // longer than the default grace

constexpr Duration kCreateMax = std::chrono::seconds(20);
constexpr Duration kReleaseMax = std::chrono::seconds(5);
constexpr double kCreateFails = 0.1;

FakeHost& host_of(World& world, HostId id) {
  return world.hosts.at(id);
}

/// When a message that is sent now arrives, on a line that keeps the order.
Time arrival(World& world, Time& last) {
  last = std::max(last, world.queue.now() + up_to(world.random, world.plan.message_delay_max));
  return last;
}

/// Fewer than jobs may want.
const std::vector<int> kPorts = {7001, 7002};

}  // namespace

void add_host(World& world, int slots) {
  const auto number = static_cast<std::int64_t>(world.hosts.size()) + 1;
  FakeHost host;
  host.id = HostId{number};
  host.name = fmt::format("h{}", number);
  host.slots = slots;
  host.last_in = host.last_out = world.queue.now();
  world.hosts[host.id] = host;
  tell(world, host.id, HostJoined{host.id, host.name, slots, host.name, kPorts});
}

void create_host(World& world, const CreateHost& action) {
  if (world.hosts.contains(action.host)) return;  // its agent joins, or has joined
  world.queue.after(up_to(world.random, kCreateMax), [&world, action, life = world.life] {
    if (world.life != life || world.hosts.contains(action.host)) return;
    if (world.random.chance(kCreateFails)) {
      deliver(world, HostCreateFailed{action.host, "no capacity"});
      return;
    }
    FakeHost host;
    host.id = action.host;
    host.name = action.name;
    host.slots = action.slots;
    host.created = true;
    host.last_in = host.last_out = world.queue.now();
    world.hosts[host.id] = host;
    tell(world, host.id, HostJoined{host.id, host.name, host.slots, host.name, kPorts});
  });
}

void release_host(World& world, HostId id) {
  world.queue.after(up_to(world.random, kReleaseMax), [&world, id, life = world.life] {
    if (world.life != life) return;
    const auto host = world.hosts.find(id);
    if (host != world.hosts.end()) host->second.alive = false;
    for (Process& process : world.processes) {
      if (process.host == id) process.alive = false;
    }
    // A making that is still under way comes to nothing: the provider knows the order of calls.
    world.hosts[id].alive = false;
    deliver(world, HostReleased{id});
  });
}

void break_line(World& world, HostId id, Duration how_long) {
  FakeHost& host = world.hosts.at(id);
  if (!host.alive || !host.connected) return;
  host.connected = false;
  host.last_in = std::max(host.last_in, world.queue.now() + how_long);
  world.queue.after(how_long, [&world, &host] {
    host.connected = true;
    if (host.alive && host.reachable) repeat_orders(world, host.id);
  });
}

void tell(World& world, HostId from, const Event& event) {
  FakeHost& host = host_of(world, from);
  if (!host.alive || !host.reachable) return;
  world.queue.at(arrival(world, host.last_in), [&world, event] { deliver(world, event); });
}

void order(World& world, HostId to, std::function<void()> what) {
  FakeHost& host = host_of(world, to);
  world.queue.at(arrival(world, host.last_out), [&host, what = std::move(what)] {
    if (host.alive && host.reachable && host.connected) what();
  });
}

void start_process(World& world, HostId host, const RankId& id) {
  const bool is_new = host_of(world, host).known.insert(id.incarnation).second;
  // The planted bug is an agent that forgets.
  if (!is_new && world.options.bug != PlantedBug::duplicate_start) return;
  if (takes_start_error(world)) {
    world.trace(fmt::format("fault: rank {} cannot be started", id.rank.value));
    tell(world, host, RankStartFailed{id, kNoSuchProgram, "program: No such file or directory"});
    return;
  }
  check_start(world, id);
  Process process;
  process.id = id;
  process.host = host;
  world.processes.push_back(process);
  tell(world, host, RankStarted{id});
  boot(world, world.processes.back());
}

void signal_process(World& world, HostId host, const RankId& id, int signal) {
  // The order to start it was lost on the way: it ends before it began.
  if (host_of(world, host).known.insert(id.incarnation).second) {
    return tell(world, host, RankExited{id, {0, signal}, kNoState});
  }
  Process* process = world.living(id);
  if (process == nullptr) return;  // it has ended by itself, and its agent has said so
  if (signal == SIGKILL) {
    die(world, *process, {0, SIGKILL});
  } else if (!process->ignores_signals) {
    ExitStatus status = {0, signal};
    if (world.random.chance(0.3)) status = {128 + signal, 0};  // a shell around the program
    if (world.random.chance(0.1)) status = {0, 0};             // it saves its work and is content
    world.queue.after(up_to(world.random, kPoliteExitMax), [&world, process, status] {
      if (process->alive) die(world, *process, status);
    });
  }
}

void abort_on_host(World& world, HostId host, Generation generation) {
  host_of(world, host).aborted = std::max(host_of(world, host).aborted, generation);
  for (Process& process : world.processes) {
    if (!process.alive || process.host != host) continue;
    if (process.phase == Point::waiting && process.generation < generation) {
      // It may never have heard of this generation: say again that it waits.
      tell(world, host, RankReady{process.id, process.weights.steps(), generation});
    }
    if (process.generation == generation) abort_generation(world, process);
  }
}

void enter_on_host(World& world, HostId host, Generation generation) {
  if (generation <= host_of(world, host).aborted) return;
  const Ring& ring = world.rings.at(generation);
  for (const Member& member : ring.table().members) {
    Process* process = world.living(member.id);
    if (process == nullptr || process->host != host) continue;
    if (process->generation >= generation) continue;  // said again
    enter_generation(world, *process, generation);
  }
}

}  // namespace ringmaster::jobs::simulator

// SPDX-License-Identifier: Apache-2.0
//
// The fake world that the core acts on: hosts, processes, rings and messages under way, as plain
// data. What happens in it is in the files of those to whom it happens: coordinator.cc (the core
// and what it orders), agent.cc (a host), rank.cc (a process), fault.cc.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "jobs/core/core.h"
#include "jobs/core/invariants.h"
#include "jobs/simulator/fake_store.h"
#include "jobs/simulator/plan.h"
#include "jobs/simulator/queue.h"
#include "jobs/simulator/ring.h"
#include "jobs/simulator/root_cause.h"
#include "jobs/simulator/simulate.h"

namespace ringmaster::jobs::simulator {

inline constexpr JobId kJob{1};

/// A rank's process. Its place in its life is a Point.
struct Process {
  RankId id;
  HostId host;
  Point phase = Point::booting;
  bool alive = true;
  bool exited_well = false;
  bool sentenced = false;  // it has been sent SIGKILL, or its host is cut off
  bool aborted = false;    // its generation was aborted while it computed
  bool boots_late = false;
  bool leaves_late = false;
  int saving = 0;                                  // shards that its agent still writes
  std::pair<Generation, std::int64_t> saved = {};  // last
  bool ignores_signals = false;
  Generation generation;
  Weights weights;
  std::int64_t moves = 0;  // counts phases: what was scheduled for an earlier one is void
};

struct FakeHost {
  HostId id;
  std::string name;
  int slots = 0;
  bool alive = true;
  bool created = false;  // by an order of the core
  bool reachable = true;
  bool connected = true;        // a broken line comes back; what was ordered meanwhile is lost
  std::set<Incarnation> known;  // processes that it was told to start
  Generation aborted;           // the newest that it was told to abort
  Time last_in;                 // when the last message from it arrives: messages keep their order
  Time last_out;                // when the last message to it arrives
};

struct World {
  World(std::uint64_t seed, const SimulationOptions& chosen);

  SimulationOptions options;
  Random random;
  Plan plan;
  Queue queue;
  Core core;
  Invariants invariants;
  RootCause root_cause;
  std::map<HostId, FakeHost> hosts;
  std::deque<Process> processes;  // the dead as well; addresses stay
  std::map<Generation, Ring> rings;
  FakeStore store;
  std::set<HostId> asked;  // to save soon
  std::optional<Time> timer;
  std::vector<std::pair<Time, Event>> journal;  // every event that the core has taken in
  bool down = false;                            // the coordinator is dead
  int crash_in = -1;           // actions until the coordinator dies; -1: it does not
  std::int64_t life = 0;       // of the coordinator: what an earlier one had asked for is forgotten
  std::deque<Event> unheard;   // events that wait for the next one
  std::int64_t performed = 0;  // actions
  std::int64_t starts = 0;
  int succeeded = 0;  // processes that ended with success
  bool user_gave_up = false;
  std::optional<EndJob> end;
  SimulationOutcome outcome;

  void trace(const std::string& text);
  /// Remembers the first thing that must not be.
  void violate(const std::string& text);
  const Job* job() const;
  Process* living(const RankId& id);
  int count_living() const;
};

// coordinator.cc
/// The core hears of the event now, and what it orders is under way when this returns. While the
/// coordinator is dead the event waits for the next one.
void deliver(World& world, const Event& event);
/// The coordinator dies when so many more actions were performed; another one comes later.
void crash_coordinator(World& world, int actions);
/// What the host was told and has not answered, once more.
void repeat_orders(World& world, HostId host);

// agent.cc
void add_host(World& world, int slots);
/// The provider makes the host, fails, or is late. A second call for the same host does nothing.
void create_host(World& world, const CreateHost& action);
/// The provider ends the host with all that runs there, and says so.
void release_host(World& world, HostId id);
/// A message to the core, after all earlier ones of that host.
void tell(World& world, HostId from, const Event& event);
/// An order to a host, after all earlier ones; lost when the host is gone or cut off by then.
void order(World& world, HostId to, std::function<void()> what);
/// Orders are lost until the line is there again; what the host has to say waits.
void break_line(World& world, HostId id, Duration how_long);
void start_process(World& world, HostId host, const RankId& id);
void signal_process(World& world, HostId host, const RankId& id, int signal);
void abort_on_host(World& world, HostId host, Generation generation);
void enter_on_host(World& world, HostId host, Generation generation);

// rank.cc
void boot(World& world, Process& process);
void enter_generation(World& world, Process& process, Generation generation);
void abort_generation(World& world, Process& process);
/// The process is dead at once; its agent says so when it can.
void die(World& world, Process& process, const ExitStatus& status);

// store.cc
/// A rank hands its share of the step that it has just finished to its agent, if it is time.
void stage_if_due(World& world, Process& process);
/// At the end of the work, when the last step was not saved anyway.
void stage_last(World& world, Process& process);
void open_term(World& world, const OpenTerm& action);
void commit_checkpoint(World& world, const CommitCheckpoint& action);
/// What a member loads that holds nothing.
void load_checkpoint(World& world, Process& process, const CheckpointAt& at);

// fault.cc
/// A rank comes to a point in its life: the fault that waits for that happens.
void pass_point(World& world, Process& process, Point point);
/// The host is gone at once, and the core hears of it in due time.
void crash_host(World& world, HostId id, const std::string& why);
/// Whether the next process fails to start.
bool takes_start_error(World& world);

}  // namespace ringmaster::jobs::simulator

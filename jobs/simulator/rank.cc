// SPDX-License-Identifier: Apache-2.0
//
// A rank's life: boot, join, take the state, step after step, the end; and out of it at any point
// when its generation is aborted.
#include <fmt/format.h>

#include "jobs/simulator/properties.h"
#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How often the death of a member keeps a collective from completing at another member although
/// all had arrived: data of the dead one may have reached some and not others.
constexpr double kDeathCutsOff = 0.5;

/// Schedules what the process does next, unless it is dead or elsewhere by then.
void later(World& world, Process& process, Duration delay, void (*next)(World&, Process&)) {
  world.queue.after(delay, [&world, &process, next, moves = process.moves] {
    if (process.alive && process.moves == moves) next(world, process);
  });
}

/// The process comes to `point`; false when it does not survive that.
bool move_to(World& world, Process& process, Point point) {
  process.phase = point;
  ++process.moves;
  pass_point(world, process, point);
  return process.alive;
}

void ask_to_join(World& world, Process& process) {
  process.aborted = false;
  if (!move_to(world, process, Point::waiting)) return;
  tell(world, process.host, RankReady{process.id, process.weights.steps(), process.generation});
}

void leave(World& world, Process& process) {
  Duration delay = up_to(world.random, milliseconds(50));
  if (process.leaves_late) delay += 2 * world.plan.spec.leave_timeout;
  process.leaves_late = false;
  if (!move_to(world, process, Point::leaving)) return;
  later(world, process, delay, ask_to_join);
}

void exit_with_success(World& world, Process& process) {
  die(world, process, {0, 0});
}

/// Whether the member died in the generation. One that ended well had sent all it had to send.
bool died_inside(const World& world, const RankId& id) {
  for (const Process& process : world.processes) {
    if (process.id == id)
      return !process.alive && !(process.phase == Point::exiting && process.exited_well);
  }
  return false;
}

/// Whether another member's death or a cut line keeps this one from hearing of the completion.
bool is_cut_off(World& world, const Process& process, const Ring& ring) {
  const FakeHost& here = world.hosts.at(process.host);
  for (const Member& member : ring.table().members) {
    const bool together = member.host == process.host;
    const bool reachable = here.reachable && world.hosts.at(member.host).reachable;
    if (!together && !reachable) return true;
    if (died_inside(world, member.id) && world.random.chance(kDeathCutsOff)) return true;
  }
  return false;
}

void collective_completed(World& world, Process& process);

/// The process calls a collective; when it is the last one all members complete it, each a little
/// later, in any order.
void call(World& world, Process& process, Point operation) {
  Ring& ring = world.rings.at(process.generation);
  const int position = ring.position_of(process.id);
  CHECK_LE(0, position);
  if (!move_to(world, process, operation)) return;
  if (operation == Point::receiving && position == ring.source()) ring.broadcast = process.weights;
  const std::string wrong = ring.arrive(position, operation, process.weights.steps());
  if (!wrong.empty()) return world.violate(wrong);
  if (!ring.complete(position)) return;
  for (const Member& member : ring.table().members) {
    Process* other = world.living(member.id);
    if (other == nullptr || other->phase != operation) continue;  // dead, or leaving
    later(world, *other, up_to(world.random, world.plan.collective_delay_max),
          collective_completed);
  }
}

void step_or_finish(World& world, Process& process);

void gradient_computed(World& world, Process& process) {
  if (process.aborted) return leave(world, process);
  call(world, process, Point::reducing);
}

void gathered(World& world, Process& process, Ring& ring) {
  const bool bug = world.options.bug == PlantedBug::lowest_position;
  ring.set_source(bug ? 0 : choose_source(ring.gathered()));
  call(world, process, Point::receiving);
}

void received(World& world, Process& process, Ring& ring) {
  Weights state = ring.broadcast;
  state.exist = true;  // nobody had any: it comes from the seed
  const bool bug = world.options.bug == PlantedBug::lowest_position;
  if (bug || process.weights.steps() < state.steps()) process.weights = state;
  check_synced(world, process);
  const Rank source = ring.table().members[static_cast<std::size_t>(ring.source())].id.rank;
  tell(world, process.host,
       RankSynced{process.id, process.generation, process.weights.steps(), source});
  step_or_finish(world, process);
}

void reduced(World& world, Process& process, Ring& ring) {
  const int counted = ring.counted(ring.position_of(process.id));
  process.weights.history.push_back({process.generation, counted});
  stage_if_due(world, process);
  if (!move_to(world, process, Point::stepped)) return;
  step_or_finish(world, process);
}

void finished(World& world, Process& process) {
  check_finished(world, process);
  stage_last(world, process);
  tell(world, process.host, RankFinished{process.id, process.generation});
  if (!move_to(world, process, Point::exiting)) return;
  later(world, process, up_to(world.random, seconds(2)), exit_with_success);
}

void collective_completed(World& world, Process& process) {
  Ring& ring = world.rings.at(process.generation);
  if (is_cut_off(world, process, ring)) return;  // it waits until the generation is aborted
  switch (process.phase) {
    case Point::gathering:
      return gathered(world, process, ring);
    case Point::receiving:
      return received(world, process, ring);
    case Point::reducing:
      return reduced(world, process, ring);
    case Point::finishing:
      return finished(world, process);
    case Point::booting:
    case Point::waiting:
    case Point::computing:
    case Point::stepped:
    case Point::exiting:
    case Point::leaving:
    case Point::running:
      break;
  }
  CHECK(false);  // no collective completes there
}

void step_or_finish(World& world, Process& process) {
  if (process.weights.steps() >= world.plan.steps) return call(world, process, Point::finishing);
  if (!move_to(world, process, Point::computing)) return;
  later(world, process, up_to(world.random, world.plan.compute_max), gradient_computed);
}

}  // namespace

void boot(World& world, Process& process) {
  if (world.plan.plain) {
    if (!move_to(world, process, Point::running)) return;
    later(world, process, up_to(world.random, seconds(20)), exit_with_success);
    return;
  }
  if (!move_to(world, process, Point::booting)) return;
  const Duration most = world.random.chance(0.1) ? seconds(60) : seconds(2);
  Duration delay = up_to(world.random, most);
  if (process.boots_late) delay += 2 * world.plan.spec.start_timeout;
  later(world, process, delay, ask_to_join);
}

void enter_generation(World& world, Process& process, Generation generation) {
  if (process.phase != Point::waiting) return;
  process.generation = generation;
  const auto& restore = world.rings.at(generation).table().restore;
  if (restore && !process.weights.exist) load_checkpoint(world, process, *restore);
  call(world, process, Point::gathering);
}

void abort_generation(World& world, Process& process) {
  switch (process.phase) {
    case Point::gathering:
    case Point::receiving:
    case Point::reducing:
    case Point::finishing:
      return leave(world, process);
    case Point::computing:
    case Point::stepped:
      process.aborted = true;
      return;  // its next collective tells it
    case Point::booting:
    case Point::waiting:
    case Point::exiting:
    case Point::leaving:
    case Point::running:
      return;
  }
}

namespace {

/// The agent tells the end of a rank that has done its work after its last shard.
void tell_exit(World& world, const Process& process, const RankExited& exit) {
  if (exit.status.success() && process.saving > 0) {
    world.queue.after(milliseconds(20),
                      [&world, &process, exit] { tell_exit(world, process, exit); });
    return;
  }
  tell(world, process.host, exit);
}

}  // namespace

void die(World& world, Process& process, const ExitStatus& status) {
  CHECK(process.alive);
  process.alive = false;
  process.exited_well = status.success();
  if (status.success()) ++world.succeeded;
  world.trace(fmt::format("rank {} (process {}) {}", process.id.rank.value,
                          process.id.incarnation.value, describe(status)));
  tell_exit(world, process, RankExited{process.id, status, process.weights.steps()});
}

}  // namespace ringmaster::jobs::simulator

// SPDX-License-Identifier: Apache-2.0
//
// Saves: what ranks stage, the fake store that commits it, and what is loaded from there.
#include <fmt/format.h>

#include <algorithm>

#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {
namespace {

using std::chrono::milliseconds;

constexpr double kShardFails = 0.02;
constexpr double kTermFails = 0.02;
constexpr double kCommitFails = 0.05;
constexpr double kDamaged = 0.1;  // of the newest checkpoint, when a job looks for it

/// The store does one thing after the other, for one coordinator as for the next.
void in_turn(World& world, std::function<void()> what) {
  Time& free = world.store.free;
  free = std::max(free, world.queue.now()) + up_to(world.random, milliseconds(300));
  world.queue.at(free, std::move(what));
}

TermOpened find_newest(World& world, std::int64_t request) {
  FakeStore& store = world.store;
  TermOpened opened{kJob, request, store.term, {}, ""};
  // Healthy ranks may be about to load what an earlier term has found.
  const bool looked_for = world.job()->saves.opening;
  if (looked_for && !store.committed.empty() && world.random.chance(kDamaged)) {
    store.spoiled = true;
    opened.passed_over = fmt::format("step {} is damaged", store.committed.rbegin()->first);
    store.committed.erase(std::prev(store.committed.end()));
  }
  if (!store.committed.empty()) {
    opened.newest = {store.committed.rbegin()->second.term, store.committed.rbegin()->first};
  }
  store.resumes = opened.newest.steps;
  return opened;
}

}  // namespace

namespace {

/// What the member whose state began the generation says to all, as whoever comes first hears it.
bool hear_verdict(World& world, const Ring& ring, Generation generation, std::int64_t steps) {
  const auto [verdict, is_first] = world.store.verdicts.try_emplace({generation, steps}, false);
  if (!is_first) return verdict->second;
  const HostId host = ring.table().members[static_cast<std::size_t>(ring.source())].host;
  const Duration period = world.plan.spec.save_period;
  const Time now = world.queue.now();
  const bool due = period > Duration::zero() && now >= world.store.saved_at + period;
  verdict->second = due || world.asked.contains(host);
  if (!verdict->second) return false;
  world.store.saved_at = now;
  world.asked.clear();
  return true;
}

void stage(World& world, Process& process) {
  const std::int64_t steps = process.weights.steps();
  const Ring& ring = world.rings.at(process.generation);
  const auto [at, is_new] =
      world.store.staged.try_emplace({process.generation, steps}, process.weights);
  if (!is_new && !(at->second == process.weights)) {
    world.violate(fmt::format("two ranks save different states of step {}", steps));
  }
  Event event = ShardFailed{process.id, steps, "disk full"};
  if (world.random.chance(kShardFails)) {
    world.store.spoiled = true;
  } else {
    ShardWritten written{
        process.id, process.generation, steps, ring.position_of(process.id), ring.size(), {8}, {}};
    written.shard.key = fmt::format("{}-{}", process.generation.value, written.position);
    event = written;
  }
  // The agent writes it, whatever becomes of the rank; the end of one that has done its work is
  // told afterwards.
  ++process.saving;
  process.saved = {process.generation, steps};
  world.queue.after(up_to(world.random, milliseconds(500)), [&world, &process, event] {
    tell(world, process.host, event);
    --process.saving;
  });
}

}  // namespace

void stage_if_due(World& world, Process& process) {
  if (!world.plan.spec.saves()) return;
  const std::int64_t steps = process.weights.steps();
  const std::int64_t every = world.plan.spec.save_every;
  const Ring& ring = world.rings.at(process.generation);
  const bool told = hear_verdict(world, ring, process.generation, steps);
  if (told || (every > 0 && steps % every == 0)) stage(world, process);
}

void stage_last(World& world, Process& process) {
  const bool saved = process.saved == std::pair(process.generation, process.weights.steps());
  if (world.plan.spec.saves() && !saved) stage(world, process);
}

void open_term(World& world, const OpenTerm& action) {
  in_turn(world, [&world, action, life = world.life] {
    ++world.store.term.value;  // a claim fences the others, whoever hears of it
    if (world.life != life || world.job() == nullptr || world.job()->ended()) return;
    if (world.random.chance(kTermFails)) {
      world.store.spoiled = true;
      return deliver(world, TermFailed{action.job, action.request, "no such folder"});
    }
    deliver(world, find_newest(world, action.request));
  });
}

void commit_checkpoint(World& world, const CommitCheckpoint& action) {
  const std::int64_t steps = action.save.steps;
  // Whose turn it was when the work began; and of which generation the shards are.
  std::int64_t generation = 0;
  for (const auto& shard : action.save.shards) {
    const std::int64_t of_shard = std::stoll(shard->key);
    if (generation != 0 && of_shard != generation) {
      world.violate(fmt::format("step {} is committed from two generations", steps));
    }
    generation = of_shard;
  }
  in_turn(world, [&world, job = action.job, steps, generation, life = world.life] {
    FakeStore& store = world.store;
    const bool dead = world.life != life;  // it may have died before or after the write
    const Job* living = world.job();
    const bool fenced = living == nullptr || store.term != living->saves.term;
    if (dead && (world.random.chance(0.5) || fenced)) return;
    if (!dead && world.random.chance(kCommitFails)) {
      store.spoiled = true;
      return deliver(world, CheckpointFailed{job, steps, "timed out"});
    }
    if (steps > store.resumes) {
      const Weights& weights = store.staged.at({Generation{generation}, steps});
      store.committed[steps] = {store.term, weights};
      store.held[{store.term, steps}] = weights;
    }
    if (!dead) deliver(world, CheckpointCommitted{job, store.term, steps});
  });
}

void load_checkpoint(World& world, Process& process, const CheckpointAt& at) {
  const auto found = world.store.held.find(at);
  if (found == world.store.held.end()) {
    return world.violate(fmt::format("step {} is loaded and was never committed", at.steps));
  }
  process.weights = found->second;
}

}  // namespace ringmaster::jobs::simulator

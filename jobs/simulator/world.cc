// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/world.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::jobs::simulator {

World::World(std::uint64_t seed, const SimulationOptions& chosen)
    : options(chosen), random(seed), plan(make_plan(random)) {
  outcome.seed = seed;
  outcome.plan = describe(plan);
}

void World::trace(const std::string& text) {
  if (!options.trace) return;
  outcome.trace.push_back(
      fmt::format("[{:12.6f}s] {}", to_seconds(queue.now().time_since_epoch()), text));
}

void World::violate(const std::string& text) {
  trace("VIOLATION: " + text);
  if (outcome.violation.empty()) outcome.violation = text;
}

const Job* World::job() const {
  const auto found = core.state().jobs.find(kJob);
  return found == core.state().jobs.end() ? nullptr : &found->second;
}

Process* World::living(const RankId& id) {
  for (Process& process : processes) {
    if (process.alive && process.id == id) return &process;
  }
  return nullptr;
}

int World::count_living() const {
  return static_cast<int>(std::ranges::count_if(processes, &Process::alive));
}

}  // namespace ringmaster::jobs::simulator

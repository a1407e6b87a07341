// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/simulate.h"

#include <fmt/format.h>

#include <array>

#include "jobs/simulator/properties.h"
#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {
namespace {

/// More than twenty times what the longest run has been seen to need.
constexpr std::int64_t kHappeningsMax = 200'000;

void schedule_arrivals(World& world) {
  for (const int slots : world.plan.host_slots) {
    world.queue.after(up_to(world.random, std::chrono::seconds(2)),
                      [&world, slots] { add_host(world, slots); });
  }
  world.queue.after(up_to(world.random, std::chrono::seconds(2)), [&world] {
    deliver(world, JobSubmitted{kJob, world.plan.spec});
  });
}

void give_up_waiting(World& world) {
  world.user_gave_up = true;
  deliver(world, StopRequested{kJob, "nobody brings another host", 15, 1, false});
}

void run(World& world) {
  schedule_arrivals(world);
  while (world.outcome.passed()) {
    if (world.queue.empty()) {
      if (!check_stuck(world)) return;
      give_up_waiting(world);
    } else if (world.queue.happened() > kHappeningsMax) {
      world.violate(fmt::format("no end after {} happenings", kHappeningsMax));
    } else {
      world.queue.run_next();
    }
  }
}

}  // namespace

const char* bug_name(PlantedBug bug) {
  static constexpr std::array<const char*, kPlantedBugs> kNames = {
      "none", "early_exit_report", "lowest_position", "duplicate_start", "dropped_start"};
  return kNames[static_cast<std::size_t>(bug)];
}

SimulationOutcome simulate(std::uint64_t seed, const SimulationOptions& options) {
  World world(seed, options);
  world.trace(world.outcome.plan);
  run(world);
  SimulationOutcome& outcome = world.outcome;
  outcome.simulated_seconds = to_seconds(world.queue.now().time_since_epoch());
  outcome.actions = world.performed;
  if (options.keep_events) outcome.events = std::move(world.journal);
  if (world.end) {
    outcome.state = world.end->state;
    outcome.exit_code = world.end->exit_code;
    outcome.reason = world.end->reason;
  }
  return outcome;
}

std::string replay_command(std::uint64_t seed, PlantedBug bug) {
  std::string command = fmt::format("ringmaster simulate --seed {} --trace", seed);
  if (bug != PlantedBug::none) command += fmt::format(" --bug {}", bug_name(bug));
  return command;
}

}  // namespace ringmaster::jobs::simulator

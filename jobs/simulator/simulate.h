// SPDX-License-Identifier: Apache-2.0
//
// The whole system in one thread, from a seed: the real core with fake hosts, agents, ranks,
// collectives and clock, and faults at the worst moments. A thousand runs take seconds.
//
// After every step the core's invariants are checked, and beside them what only the world can see:
// no finished step is lost while a rank that finished it lives; every step of the final history
// counts each place of its batch once; no generation is formed while a process is inside an older
// one; the job ends, with the exit code of the root cause, and leaves no process behind.
//
// Pure: the same seed and options give the same run on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/core/action.h"
#include "jobs/simulator/coverage.h"

namespace ringmaster::jobs::simulator {

/// A bug planted between the core and the world, to prove that the simulation would find it.
enum class PlantedBug {
  none,
  early_exit_report,  // a killed rank is reported dead before it is: duty 3 of jobs/core/core.h
  lowest_position,    // the state comes from position 0, not from the most finished steps
  duplicate_start,    // some starts are done twice
  dropped_start,      // some starts are never done
};
inline constexpr int kPlantedBugs = 5;
const char* bug_name(PlantedBug bug);

struct SimulationOptions {
  PlantedBug bug = PlantedBug::none;
  bool trace = false;
  bool keep_events = false;
  std::int64_t crash_at = -1;  // the coordinator dies before its so-many-th action; -1: it does not
};

struct SimulationOutcome {
  std::uint64_t seed = 0;
  std::string plan;       // what the seed stands for, in a line
  std::string violation;  // what must hold and did not; empty: all held
  JobState state = JobState::failed;
  int exit_code = 0;
  std::string reason;
  std::int64_t generations = 0;
  double simulated_seconds = 0;
  std::int64_t actions = 0;  // that were performed
  Coverage coverage;
  std::vector<std::string> trace;  // with options.trace: events, actions and faults with times
  std::vector<std::pair<Time, Event>> events;  // with options.keep_events: what the core took in

  bool passed() const { return violation.empty(); }
};

SimulationOutcome simulate(std::uint64_t seed, const SimulationOptions& options = {});

/// What to type to see a run again: "ringmaster simulate --seed 17 --trace".
std::string replay_command(std::uint64_t seed, PlantedBug bug);

}  // namespace ringmaster::jobs::simulator

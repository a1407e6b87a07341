// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace ringmaster::jobs::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How often ranks pass a point in a run, roughly: later passes must be hit as well as the first.
int passes(Point point) {
  switch (point) {
    case Point::computing:
    case Point::reducing:
    case Point::stepped:
      return 50;
    case Point::booting:
    case Point::waiting:
    case Point::gathering:
    case Point::receiving:
      return 12;
    case Point::finishing:
    case Point::exiting:
    case Point::leaving:
    case Point::running:
      return 4;
  }
  CHECK(false);
}

Fault make_fault(Random& random, bool plain) {
  Fault fault;
  // Half of the faults are plain kills: they are what happens most, and what must never hurt.
  if (random.chance(0.6)) {
    fault.kind = static_cast<FaultKind>(random.below(kFaultKinds));
  } else {
    fault.kind = random.chance(0.7) ? FaultKind::kill : FaultKind::kill_several;
  }
  fault.point = plain ? Point::running : static_cast<Point>(random.below(kPoints - 1));
  fault.countdown = between(random, 0, passes(fault.point) - 1);
  if (random.chance(0.3)) fault.countdown = 0;
  return fault;
}

JobSpec make_spec(Random& random, int slots) {
  JobSpec spec;
  spec.name = "simulated";
  spec.ranks_max = between(random, 1, std::min(slots, 6));
  if (random.chance(0.05)) spec.ranks_max = slots + 1;  // more than there is room for
  spec.ranks_min = between(random, 1, spec.ranks_max);
  spec.restarts = random.chance(0.2) ? 0 : between(random, 1, 6);
  if (random.chance(0.1)) {  // not elastic
    spec.ranks_min = spec.ranks_max;
    spec.restarts = 0;
  }
  return spec;
}

}  // namespace

const char* point_name(Point point) {
  static constexpr std::array<const char*, kPoints> kNames = {
      "booting", "waiting",   "gathering", "receiving", "computing", "reducing",
      "stepped", "finishing", "exiting",   "leaving",   "running"};
  return kNames[static_cast<std::size_t>(point)];
}

const char* fault_name(FaultKind kind) {
  static constexpr std::array<const char*, kFaultKinds> kNames = {
      "kill",          "kill_several", "host_crash", "host_partition",
      "host_stall",    "stop",         "stop_twice", "exit_code",
      "exit_early",    "start_error",  "slow_start", "slow_leave",
      "ignore_signal", "host_notice",  "line_break", "coordinator_crash",
      "kill_all"};
  return kNames[static_cast<std::size_t>(kind)];
}

Duration up_to(Random& random, Duration most) {
  return Duration(
      static_cast<Duration::rep>(random.below(static_cast<std::uint64_t>(most.count()) + 1)));
}

int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

Plan make_plan(Random& random) {
  Plan plan;
  const int hosts = between(random, 1, 3);
  for (int i = 0; i < hosts; ++i) plan.host_slots.push_back(between(random, 1, 4));
  const int slots = std::accumulate(plan.host_slots.begin(), plan.host_slots.end(), 0);
  plan.spec = make_spec(random, slots);
  if (random.chance(0.4)) {
    plan.spec.hosts_max = hosts;
    plan.spec.host_slots = between(random, 1, 4);
    plan.host_slots.clear();
  }
  plan.plain = random.chance(0.12);
  plan.steps = between(random, 1, 25);
  plan.hosts_are_replaced = random.chance(0.75);
  constexpr std::array kDelays = {milliseconds(1), milliseconds(5), milliseconds(100)};
  plan.message_delay_max = kDelays[random.below(kDelays.size())];
  plan.collective_delay_max = kDelays[random.below(kDelays.size())];
  plan.compute_max = milliseconds(between(random, 1, 200));
  plan.lease = seconds(between(random, 1, 20));
  const int faults = between(random, 0, 5);
  for (int i = 0; i < faults; ++i) plan.faults.push_back(make_fault(random, plan.plain));
  if (!plan.plain && random.chance(0.5)) {
    if (random.chance(0.7)) plan.spec.save_every = between(random, 1, 6);
    if (!plan.spec.saves() || random.chance(0.2)) {
      plan.spec.save_period = milliseconds(between(random, 1, 3000));
    }
    if (random.chance(0.5)) {
      plan.faults.push_back({FaultKind::kill_all, Point::stepped, between(random, 5, 60)});
    }
  }
  return plan;
}

std::string describe(const Plan& plan) {
  std::string text =
      fmt::format("{} program of {} steps, {} to {} ranks, {} restarts; slots of the hosts:",
                  plan.plain ? "a plain" : "an elastic", plan.steps, plan.spec.ranks_min,
                  plan.spec.ranks_max, plan.spec.restarts);
  if (plan.spec.hosts_max > 0) {
    text += fmt::format(" {} hosts of {} are made", plan.spec.hosts_max, plan.spec.host_slots);
  }
  for (const int slots : plan.host_slots) text += fmt::format(" {}", slots);
  if (plan.spec.save_every > 0) text += fmt::format("; saved every {} steps", plan.spec.save_every);
  if (plan.spec.save_period > Duration::zero()) {
    text += fmt::format("; saved every {} ms", to_milliseconds(plan.spec.save_period));
  }
  for (const Fault& fault : plan.faults) {
    text += fmt::format("; {} at {} + {}", fault_name(fault.kind), point_name(fault.point),
                        fault.countdown);
  }
  return text;
}

}  // namespace ringmaster::jobs::simulator

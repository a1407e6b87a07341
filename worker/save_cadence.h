// SPDX-License-Identifier: Apache-2.0
//
// After which finished steps the ranks save.
//
// All ranks must save after the same step, and their clocks differ. Every so many steps is plain
// arithmetic that each rank does for itself. Every so many seconds, or when somebody asks (a host
// will be taken), is decided by one rank for all: the source of the generation's state. It may
// speak at certain steps only, the checks, where the others listen to a broadcast of two words. A
// verdict names the next check, about a second ahead by the pace of the last steps: a training step
// pays nothing for most of its life, and no message from outside has to reach all ranks before a
// certain step, which no clock can promise.
//
// Pure: the time is an argument.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace ringmaster::worker {

struct SavePolicy {
  std::int64_t every = 0;        // finished steps from one save to the next; 0: not by these
  Duration period = Duration{};  // time from one save to the next; 0: not by this
  bool saves() const { return every > 0 || period > Duration{}; }
};

/// What the rank that decides says at a check, in the form in which it is broadcast.
struct SaveVerdict {
  std::int64_t save = 0;        // 1: after this very step
  std::int64_t next_check = 0;  // finished steps
};

class SaveCadence {
 public:
  /// How long a wish may wait for the next check, as far as the steps' pace can be foretold.
  static constexpr Duration kCheckPeriod = std::chrono::seconds(1);

  /// A generation begins with `steps` in the state; its first step is a check. The time since the
  /// last save goes on over generations, or losses in a row would put it off for ever.
  void begin(const SavePolicy& policy, std::int64_t steps, Time now);

  bool saves() const { return policy_.saves(); }
  /// Whether the policy asks for a save after `steps`, whatever the time is.
  bool due_by_steps(std::int64_t steps) const;
  bool check_due(std::int64_t steps) const { return policy_.saves() && steps >= next_check_; }

  /// For the rank that decides, at a check. `asked`: somebody outside wants a save soon.
  SaveVerdict decide(std::int64_t steps, Time now, bool asked) const;
  /// For every member, the one that decided too.
  void follow(const SaveVerdict& verdict, std::int64_t steps, Time now);
  /// The state was saved.
  void saved(Time now) { saved_at_ = now; }

 private:
  SavePolicy policy_;
  bool began_ = false;
  Time saved_at_;
  std::int64_t next_check_ = 0;
  std::int64_t last_check_ = 0;  // or the generation's beginning
  Time last_check_at_;
  std::int64_t last_gap_ = 1;  // steps
};

}  // namespace ringmaster::worker

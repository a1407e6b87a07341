// SPDX-License-Identifier: Apache-2.0
//
// Simulated time: what will happen, in order of time. What was put in first comes first among
// things of the same instant, so that a run depends on nothing but its seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/time.h"

namespace ringmaster::jobs::simulator {

class Queue {
 public:
  Time now() const { return now_; }
  bool empty() const { return waiting_.empty(); }
  /// How many things have happened: a run that never ends is told by it.
  std::int64_t happened() const { return happened_; }

  void at(Time when, std::function<void()> what) {
    CHECK(now_ <= when);
    waiting_.emplace(std::pair(when, next_++), std::move(what));
  }
  void after(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  /// Moves the clock to the next thing and lets it happen.
  void run_next() {
    auto first = waiting_.extract(waiting_.begin());
    now_ = first.key().first;
    ++happened_;
    first.mapped()();
  }

 private:
  Time now_;
  std::int64_t next_ = 0;
  std::int64_t happened_ = 0;
  std::map<std::pair<Time, std::int64_t>, std::function<void()>> waiting_;
};

}  // namespace ringmaster::jobs::simulator

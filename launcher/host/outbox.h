// SPDX-License-Identifier: Apache-2.0
//
// What an agent has to report and the coordinator has not acknowledged, in order and numbered. It
// is said again whenever the connection was lost: the coordinator takes each number once.
//
// Pure.
#pragma once

#include <deque>

#include "jobs/wire/convert.h"

namespace ringmaster::launcher {

class Outbox {
 public:
  /// Without a coordinator nothing decides, so little happens; more than this is a fault.
  static constexpr std::size_t kMax = 100'000;

  /// False when it is full.
  bool add(const jobs::Event& event) {
    if (waiting_.size() >= kMax) return false;
    waiting_.emplace_back();
    waiting_.back().set_number(++last_);
    *waiting_.back().mutable_event() = jobs::to_wire(event);
    return true;
  }
  void acknowledge(std::int64_t number) {
    while (!waiting_.empty() && waiting_.front().number() <= number) waiting_.pop_front();
  }
  /// The first number that could still be said again.
  std::int64_t oldest() const { return waiting_.empty() ? last_ + 1 : waiting_.front().number(); }
  const std::deque<wire::NumberedEvent>& waiting() const { return waiting_; }

 private:
  std::deque<wire::NumberedEvent> waiting_;
  std::int64_t last_ = 0;
};

}  // namespace ringmaster::launcher

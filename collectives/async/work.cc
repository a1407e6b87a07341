// SPDX-License-Identifier: Apache-2.0
#include "collectives/async/work.h"

namespace ringmaster::collectives {

bool Work::done() const {
  const std::lock_guard lock(mutex_);
  return result_.has_value();
}

bool Work::wait(Duration at_most) const {
  std::unique_lock lock(mutex_);
  return over_.wait_for(lock, at_most, [this] { return result_.has_value(); });
}

Result<void> Work::result() const {
  const std::lock_guard lock(mutex_);
  CHECK(result_.has_value());
  return *result_;
}

void Work::finish(Result<void> result) {
  const std::lock_guard lock(mutex_);
  CHECK(!result_.has_value());
  result_ = std::move(result);
  // Under the lock: a waiter that sees the end may destroy this at once.
  over_.notify_all();
}

}  // namespace ringmaster::collectives

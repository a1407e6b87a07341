// SPDX-License-Identifier: Apache-2.0
//
// An operation that was started (collectives/ringmaster_async.h), owned.
//
// Destroying it does not end the operation: the arrays must stay valid until it is over.
//
// Thread rules: any thread may wait; the object itself is one thread's at a time.
#pragma once

#include <chrono>
#include <memory>

#include "collectives/ringmaster_async.h"
#include "worker/elements.h"

namespace ringmaster::worker {

class Work {
 public:
  Work() = default;
  explicit Work(ringmaster_work* raw) : raw_(raw) {}

  bool done() const { return ringmaster_work_done(raw_.get()) != 0; }
  /// Waits at most `limit`. Errc::timed_out while !done(): it goes on.
  Result<void> wait(std::chrono::duration<double> limit = std::chrono::hours(1)) const {
    return to_result(ringmaster_work_wait(raw_.get(), limit.count()));
  }

 private:
  struct Free {
    void operator()(ringmaster_work* raw) const { ringmaster_work_free(raw); }
  };
  std::unique_ptr<ringmaster_work, Free> raw_;
};

/// The work that a starting call left at `raw`, or why it was not started.
inline Result<Work> to_work(ringmaster_status status, ringmaster_work* raw) {
  auto started = to_result(status);
  if (!started) return started.error();
  return Work(raw);
}

}  // namespace ringmaster::worker

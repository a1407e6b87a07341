// SPDX-License-Identifier: Apache-2.0
//
// What an operation that was started comes to: whoever started it asks, waits for a while, or
// forgets it.
//
// A work is shared between its owner and the thread that carries it out, so an owner may go before
// the operation is over. Not a std::future: its wait cannot tell a time-out of the wait from one of
// the operation without throwing.
//
// Thread rules: any thread may wait; one finishes it, once.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "base/time.h"

namespace ringmaster::collectives {

class Work {
 public:
  bool done() const;
  /// Waits until the operation is over, but not longer than `at_most`. Whether it is over.
  bool wait(Duration at_most) const;
  /// Of an operation that is over.
  Result<void> result() const;

  void finish(Result<void> result);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable over_;
  std::optional<Result<void>> result_;
};

using WorkPointer = std::shared_ptr<Work>;

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// One thread for work that blocks (a store, a slow disk), so that a loop never does. Work is done
// one after the other, in the order in which it was handed in; what it has found out it posts to
// the loop by itself.
//
// A bounded queue: who has no place is told at once, and says so to whoever waits for the result.
//
// Thread rules: run() from one thread. The destructor waits for the work under way and drops the
// rest; work that hangs in the kernel (a file server that is gone) can be neither ended nor left
// behind, so that after a while the whole process ends instead: nothing outlives its owner. The
// thread has all signals blocked: handlers stay with the loop's.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/time.h"

namespace ringmaster {

class Pool {
 public:
  explicit Pool(std::size_t waiting_max, Duration end_limit = std::chrono::seconds(10));
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  /// False when too many wait already: the work is not taken.
  bool run(std::function<void()> work);

 private:
  void loop();

  std::size_t waiting_max_;
  Duration end_limit_;
  std::mutex mutex_;
  std::condition_variable news_, end_;
  std::deque<std::function<void()>> waiting_;
  bool ends_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace ringmaster

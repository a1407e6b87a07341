// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"

#include <csignal>

#include "base/check.h"

namespace ringmaster {

Pool::Pool(std::size_t waiting_max) : waiting_max_(waiting_max) {
  sigset_t all, before;
  ::sigfillset(&all);
  CHECK(::pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
  thread_ = std::thread([this] { loop(); });
  CHECK(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  news_.notify_one();
  thread_.join();
}

bool Pool::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
  }
  news_.notify_one();
  return true;
}

void Pool::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    {
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
    }  // what the work held goes before the lock is taken again
    lock.lock();
  }
}

}  // namespace ringmaster

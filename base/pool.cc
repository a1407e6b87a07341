// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/check.h"

namespace ringmaster {

Pool::Pool(std::size_t waiting_max, Duration end_limit)
    : waiting_max_(waiting_max), end_limit_(end_limit) {
  sigset_t all, before;
  ::sigfillset(&all);
  CHECK(::pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
  thread_ = std::thread([this] { loop(); });
  CHECK(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
}

Pool::~Pool() {
  {
    std::unique_lock lock(mutex_);
    ends_ = true;
    news_.notify_one();
    if (!end_.wait_for(lock, end_limit_, [this] { return ended_; })) {
      std::fprintf(stderr, "a call that hangs (a store that does not answer) ends the process\n");
      std::_Exit(1);
    }
  }
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
    if (ends_) {
      ended_ = true;
      end_.notify_one();
      return;
    }
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

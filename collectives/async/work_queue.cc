// SPDX-License-Identifier: Apache-2.0
#include "collectives/async/work_queue.h"

#include <fmt/format.h>

#include <utility>

namespace ringmaster::collectives {

WorkQueue::WorkQueue(Communicator& engine) : engine_(engine), thread_([this] { loop(); }) {}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Result<WorkPointer> WorkQueue::start(Task task, Failed failed) {
  const std::lock_guard lock(mutex_);
  CHECK(!ending_);
  if (entries_.size() >= kLongest) {
    return Error{Errc::exhausted,
                 fmt::format("start: {} operations are waiting: wait for some first", kLongest)};
  }
  auto work = std::make_shared<Work>();
  entries_.push_back({std::move(task), std::move(failed), work});
  changed_.notify_all();
  return work;
}

bool WorkQueue::idle() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty() && !running_;
}

void WorkQueue::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !entries_.empty(); });
    if (ending_) break;
    Entry entry = std::move(entries_.front());
    entries_.pop_front();
    running_ = true;
    lock.unlock();
    const Result<void> result = entry.task(engine_);
    lock.lock();
    running_ = false;
    std::deque<Entry> behind;
    if (!result) behind = std::exchange(entries_, {});
    lock.unlock();
    // Who is told of the end may look at the queue: not under its lock.
    end(entry, result);
    if (!result) drop(behind, result.error());
    lock.lock();
  }
  const std::deque<Entry> left = std::exchange(entries_, {});
  lock.unlock();
  drop(left, {Errc::generation_changed, "the generation has ended"});
}

void WorkQueue::end(const Entry& entry, const Result<void>& result) {
  if (!result && entry.failed) entry.failed(result.error());
  entry.work->finish(result);
}

void WorkQueue::drop(const std::deque<Entry>& entries, const Error& error) {
  const Error reason{error.code, "not begun, for an operation before it failed: " + error.message};
  for (const Entry& entry : entries) end(entry, reason);
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// Carries out operations one after the other on a thread of its own, in the order of their start.
//
// One thread and not one for each operation, because an engine is used by one thread at a time and
// the order of operations must be the same on all ranks anyway. After an error everything that is
// queued ends with it: ranks that went on with the next operation would not be in step.
//
// Thread rules: start() and idle() from one thread at a time; the tasks run on the queue's own.
#pragma once

#include <deque>
#include <functional>
#include <thread>

#include "collectives/async/work.h"
#include "collectives/communicator.h"

namespace ringmaster::collectives {

class WorkQueue {
 public:
  /// Operations that may wait at once: more means that nobody waits for their ends.
  static constexpr std::size_t kLongest = 1024;

  using Task = std::function<Result<void>(Communicator&)>;
  using Failed = std::function<void(const Error&)>;

  /// The engine outlives the queue, and is used by nobody else while the queue is not idle.
  explicit WorkQueue(Communicator& engine);
  /// What is queued ends with Errc::generation_changed. Waits for the task under way: see that its
  /// engine's waits have ended.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// `failed` is called when the task fails or never runs; what is started from then on is not
  /// ended with it.
  Result<WorkPointer> start(Task task, Failed failed = nullptr);
  /// Nothing is queued or under way: the engine may be used by the caller's thread.
  bool idle() const;

 private:
  struct Entry {
    Task task;
    Failed failed;
    WorkPointer work;
  };

  void loop();
  static void end(const Entry& entry, const Result<void>& result);
  static void drop(const std::deque<Entry>& entries, const Error& error);

  Communicator& engine_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  bool running_ = false;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace ringmaster::collectives

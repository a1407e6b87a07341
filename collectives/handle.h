// SPDX-License-Identifier: Apache-2.0
//
// What stands behind the C ABI's handle, and how an Error becomes a status with a message.
//
// The handle outlives generations: the session gives it an engine for each, and calls
// end_generation() before that engine goes.
//
// Thread rules: one thread at a time. What it starts runs on the queue's thread; the engine is used
// here only while the queue is idle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/async/operation.h"
#include "collectives/async/work_queue.h"
#include "collectives/communicator.h"
#include "collectives/shm/arena.h"
#include "collectives/tensors/tensors.h"

struct ringmaster_communicator {
  template <class T>
  using Result = ringmaster::Result<T>;
  using Operation = ringmaster::collectives::Operation;
  using WorkPointer = ringmaster::collectives::WorkPointer;
  using WorkQueue = ringmaster::collectives::WorkQueue;

  ringmaster_communicator() = default;
  ~ringmaster_communicator();
  ringmaster_communicator(const ringmaster_communicator&) = delete;
  ringmaster_communicator& operator=(const ringmaster_communicator&) = delete;

  /// Nothing that was started is on its way.
  bool idle() const { return !queue || queue->idle(); }
  /// Calls go straight to the engine.
  bool plain() const { return !group && !timeline && idle(); }
  /// Carries the operation out, after all that was started before; a group that is open notes it.
  Result<void> run(const Operation& operation);
  Result<WorkPointer> start(Operation operation);
  Result<WorkPointer> start_task(WorkQueue::Task task);
  /// Hands a tensor in, and starts a batch for it when none is open.
  Result<WorkPointer> submit(ringmaster::collectives::Tensor tensor, const void* input,
                             void* output);
  Result<void> begin_timeline(const std::string& path, bool append);

  /// The engine is that of this generation, of the ranks with these numbers, by position.
  void begin_generation(std::int64_t generation, std::vector<int> rank_numbers);
  /// Ends what is on its way. The engine's waits must have ended, or be about to.
  void end_generation();

  std::unique_ptr<ringmaster::collectives::Arena> arena;                 // of the session
  std::unique_ptr<ringmaster::collectives::FusionMemory> fusion_memory;  // from the first tensor on
  std::unique_ptr<ringmaster::collectives::Communicator> engine;
  std::unique_ptr<WorkQueue> queue;                           // from the first start on
  std::optional<Operation> group;                             // between its begin and its end
  std::optional<ringmaster::Error> group_error;               // of a call in it
  std::shared_ptr<ringmaster::collectives::Tensors> tensors;  // from the first one on
  ringmaster::collectives::TensorSettings tensor_settings;
  std::shared_ptr<ringmaster::collectives::Timeline> timeline;
  std::string warning;       // as it was handed out last
  std::vector<int> numbers;  // empty: those of the positions

 private:
  Result<WorkPointer> enqueue(WorkQueue::Task task, WorkQueue::Failed failed);
  std::vector<int> rank_numbers() const;
  void mark_generation();

  std::int64_t generation_ = 1;
};

struct ringmaster_work {
  ringmaster::collectives::WorkPointer work;
  std::shared_ptr<ringmaster::collectives::Tensors> tensors;  // of which it is one; or null
};

namespace ringmaster::collectives {

/// Keeps the message for this thread's ringmaster_error_message() and gives the status.
ringmaster_status to_status(const Result<void>& result);

/// Carries the call out, or notes it in the group that is open; a wrong call spoils the group.
ringmaster_status run_call(ringmaster_communicator* communicator, const Result<Operation>& call);

/// Gives the work to a caller of the C ABI.
ringmaster_status hand_out(Result<WorkPointer> started, ringmaster_work** work,
                           std::shared_ptr<Tensors> tensors = nullptr);

}  // namespace ringmaster::collectives

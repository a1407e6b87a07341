// SPDX-License-Identifier: Apache-2.0
//
// One rank's part of an operation, in memory: its plan's steps with the bytes that they move.
//
// A job is either a collective, in which all ranks of the generation have a part, or an exchange of
// messages, which concerns nobody but their two ends.
//
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/schedules/dependencies.h"
#include "collectives/shm/segment.h"
#include "collectives/tcp/slices.h"

namespace ringmaster::collectives {

struct Task {
  schedules::Action action = schedules::Action::send;
  int peer = 0;                    // position
  Stretch stretch;                 // of the array, for what waits for what; no bytes: a token
  const std::byte* own = nullptr;  // sent, or the own operand of a reduction
  std::byte* target = nullptr;     // received, or the result of a reduction
  bool arrived_first = false;
  bool complete = false;
  Call call;                                // whose frames they are, and are expected to be
  const std::vector<int>* after = nullptr;  // tasks that it waits for; null: none

  std::size_t done = 0;  // bytes
  bool finished = false;
};

struct Job {
  Call call;
  std::vector<Task> tasks = {};  // in the order of their meaning
  Reduction reduction = RINGMASTER_SUM;
  int average_of = 1;  // ranks
  /// The array is kept only in pieces: memory at `own` and `target` goes round after so many bytes.
  /// 0: it is there whole. Else all tasks have the whole array.
  std::size_t window = 0;
  bool messages = false;  // no collective
};

/// The job that carries out the steps on an array. Block b is `blocks[b]` of it. What the rank puts
/// in is at `input`, what comes out at `output`; they may be the same, and `ordered` outlives the
/// job. `members` are the positions of the plan's ranks.
Job make_job(const Call& call, const schedules::Ordered& ordered,
             const std::vector<Stretch>& blocks, const void* input, void* output,
             const std::vector<int>& members);

/// Whether the next chunk of `bytes` of a task may move: all that it waits for is far enough.
bool may_move(const Job& job, const Task& task, std::size_t bytes);

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/job.h"

#include <algorithm>

#include "collectives/bytes.h"

namespace ringmaster::collectives {

namespace {

/// Bytes of several blocks that follow one another.
Stretch stretch_of(const schedules::Step& step, const std::vector<Stretch>& blocks) {
  if (step.blocks == 0) return {};
  const Stretch& first = blocks[static_cast<std::size_t>(step.first)];
  const Stretch& last = blocks[static_cast<std::size_t>(step.first + step.blocks - 1)];
  return {first.begin, last.begin + last.bytes - first.begin};
}

}  // namespace

Job make_job(const Call& call, const schedules::Ordered& ordered,
             const std::vector<Stretch>& blocks, const void* input, void* output,
             const std::vector<int>& members) {
  Job job{call};
  if (ordered.mixed && !blocks.empty() && input != output) {
    copy_bytes(output, input, blocks.back().begin + blocks.back().bytes);
    input = output;
  }
  job.tasks.reserve(ordered.steps.size());
  for (std::size_t i = 0; i < ordered.steps.size(); ++i) {
    const schedules::Step& step = ordered.steps[i];
    Task task;
    task.action = step.action;
    task.peer = members[static_cast<std::size_t>(step.peer)];
    task.stretch = stretch_of(step, blocks);
    task.own = ordered.fresh[i] ? at(input, task.stretch.begin) : at(output, task.stretch.begin);
    task.target = at(output, task.stretch.begin);
    task.arrived_first = step.arrived_first;
    task.complete = step.complete;
    task.call = call;
    task.after = &ordered.after[i];
    task.finished = step.blocks > 0 && task.stretch.bytes == 0;  // at both ends
    job.tasks.push_back(task);
  }
  return job;
}

bool may_move(const Job& job, const Task& task, std::size_t bytes) {
  const std::size_t begin = task.stretch.begin + task.done, end = begin + bytes;
  if (task.after != nullptr) {
    for (const int index : *task.after) {
      const Task& before = job.tasks[static_cast<std::size_t>(index)];
      if (before.finished) continue;
      const std::size_t last = before.stretch.begin + before.stretch.bytes;
      if (bytes > 0 && last <= begin) continue;
      // Tasks go through their stretches from the beginning.
      if (bytes == 0 || before.stretch.begin + before.done < std::min(end, last)) return false;
    }
  }
  if (job.window == 0 || task.action == schedules::Action::send) return true;
  return std::ranges::all_of(job.tasks, [&](const Task& reader) {
    return reader.action != schedules::Action::send || reader.stretch.bytes == 0 ||
           reader.done + job.window >= end;
  });
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// How a handle carries operations out: at once, behind what was started, or later.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectives/handle.h"

using ringmaster::Errc;
using ringmaster::Error;
using ringmaster::Result;
using ringmaster::Time;
using namespace ringmaster::collectives;

namespace {

/// More calls in a group than this come from a loop that forgot its end.
constexpr std::size_t kGroupLongest = 4096;

Result<void> note_in_group(Operation& group, const Operation& call) {
  if (group.reduces.size() + group.sends.size() + group.receives.size() >= kGroupLongest) {
    return Error{Errc::exhausted, fmt::format("a group has at most {} calls", kGroupLongest)};
  }
  if (call.kind == Operation::Kind::all_reduce) {
    group.reduces.push_back({call.input, call.output, call.count, call.type, call.reduction});
    return {};
  }
  if (call.kind == Operation::Kind::group) {
    group.sends.insert(group.sends.end(), call.sends.begin(), call.sends.end());
    group.receives.insert(group.receives.end(), call.receives.begin(), call.receives.end());
    return {};
  }
  return Error{Errc::invalid, "a group is open: only all_reduce, send and receive go into one"};
}

/// For the timeline.
const char* kind_name(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::all_reduce:
      return "all_reduce";
    case Operation::Kind::reduce_scatter:
      return "reduce_scatter";
    case Operation::Kind::all_gather:
      return "all_gather";
    case Operation::Kind::all_to_all:
      return "all_to_all";
    case Operation::Kind::broadcast:
      return "broadcast";
    case Operation::Kind::barrier:
      return "barrier";
    case Operation::Kind::group:
      return "group";
  }
  CHECK(false);
}

Result<void> perform_traced(Timeline* timeline, Communicator& engine, const Operation& operation) {
  if (timeline == nullptr) return perform(engine, operation);
  const Time begin = ringmaster::read_clock();
  auto performed = perform(engine, operation);
  timeline->span("operations", kind_name(operation.kind), begin, ringmaster::read_clock(),
                 operation.count * size_of(operation.type));
  return performed;
}

}  // namespace

ringmaster_communicator::~ringmaster_communicator() {
  end_generation();
}

Result<void> ringmaster_communicator::run(const Operation& operation) {
  if (group) {
    auto noted = note_in_group(*group, operation);
    if (!noted && !group_error) group_error = noted.error();
    return noted;
  }
  if (idle()) return perform_traced(timeline.get(), *engine, operation);
  auto started = start(operation);
  if (!started) return started.error();
  // Operations end by their own time-outs; this only looks again now and then.
  while (!(*started)->wait(std::chrono::minutes(1))) {
  }
  return (*started)->result();
}

Result<WorkPointer> ringmaster_communicator::start(Operation operation) {
  return start_task([timeline = timeline, operation = std::move(operation)](Communicator& ring) {
    return perform_traced(timeline.get(), ring, operation);
  });
}

Result<WorkPointer> ringmaster_communicator::start_task(WorkQueue::Task task) {
  if (tensors) tensors->close_batch();  // its place in the order of calls ends here
  return enqueue(std::move(task), nullptr);
}

Result<WorkPointer> ringmaster_communicator::enqueue(WorkQueue::Task task,
                                                     WorkQueue::Failed failed) {
  CHECK(engine != nullptr);
  if (!queue) queue = std::make_unique<WorkQueue>(*engine);
  return queue->start(std::move(task), std::move(failed));
}

Result<WorkPointer> ringmaster_communicator::submit(Tensor tensor, const void* input,
                                                    void* output) {
  if (!fusion_memory) fusion_memory = std::make_unique<FusionMemory>(arena.get());
  if (!tensors) {
    tensors = std::make_shared<Tensors>(tensor_settings, rank_numbers(), *fusion_memory, timeline);
  }
  auto submitted = tensors->submit(std::move(tensor), input, output);
  if (!submitted) return submitted.error();
  if (!submitted->opened) return submitted->work;
  const auto batch = submitted->opened;
  const auto all = tensors;
  const auto started = enqueue([all, batch](Communicator& ring) { return all->run(ring, *batch); },
                               [all, batch](const Error& error) { all->fail(*batch, error); });
  if (started) return submitted->work;
  all->fail(*batch, started.error());
  return started.error();
}

std::vector<int> ringmaster_communicator::rank_numbers() const {
  if (!numbers.empty()) return numbers;
  std::vector<int> positions(static_cast<std::size_t>(engine->size()));
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int>(i);
  return positions;
}

Result<void> ringmaster_communicator::begin_timeline(const std::string& path, bool append) {
  const auto ranks = rank_numbers();
  const int own = ranks[static_cast<std::size_t>(engine->position())];
  const bool lowest = own == *std::min_element(ranks.begin(), ranks.end());
  const std::string file = timeline_path(path, own, lowest);
  if (file.empty()) return {};
  auto opened = Timeline::open(file, own, append);
  if (!opened) return opened.error();
  timeline = std::move(*opened);
  mark_generation();
  return {};
}

void ringmaster_communicator::mark_generation() {
  timeline->moment(
      fmt::format("generation {}: ranks {}", generation_, fmt::join(rank_numbers(), " ")),
      ringmaster::read_clock());
}

void ringmaster_communicator::begin_generation(std::int64_t generation,
                                               std::vector<int> rank_numbers) {
  generation_ = generation;
  numbers = std::move(rank_numbers);
  if (timeline) mark_generation();
}

void ringmaster_communicator::end_generation() {
  if (tensors) tensors->stop();
  queue.reset();
  tensors.reset();
  group.reset();
  group_error.reset();
}

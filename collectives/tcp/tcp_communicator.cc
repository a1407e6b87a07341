// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/tcp_communicator.h"

#include <algorithm>
#include <numeric>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/parts.h"
#include "collectives/reduce.h"
#include "collectives/tcp/executor.h"

namespace ringmaster::collectives {

namespace {

using schedules::Algorithm;
using schedules::Operation;
using schedules::Plan;

// Chunks of a broadcast that a rank passes on without keeping: one comes in, one goes out, and two
// so that neither waits.
constexpr std::size_t kRelayChunks = 4;
// Plans that are kept: more than a program has kinds of calls.
constexpr std::size_t kPlansMax = 64;

std::vector<int> everyone(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The blocks of a plan that cuts an array evenly.
std::vector<Stretch> even_blocks(const Plan& plan, std::size_t count, std::size_t width) {
  const int blocks = schedules::block_count(plan);
  std::vector<Stretch> all;
  for (int block = 0; block < blocks; ++block) {
    all.push_back(slice_of(count, width, block, blocks));
  }
  return all;
}

/// One block for each count.
std::vector<Stretch> counted_blocks(const Counts& counts, std::size_t width) {
  std::vector<Stretch> all;
  std::size_t begin = 0;
  for (const std::size_t count : counts) {
    all.push_back({begin, count * width});
    begin += count * width;
  }
  return all;
}

}  // namespace

TcpCommunicator::TcpCommunicator(TcpListener& listener, TcpMembership membership, Abort abort,
                                 KeptLinks* kept)
    : TcpCommunicator(std::make_shared<Mesh>(listener, membership, abort, kept),
                      everyone(static_cast<int>(membership.endpoints.size()))) {}

TcpCommunicator::TcpCommunicator(std::shared_ptr<Mesh> mesh, std::vector<int> members)
    : mesh_(std::move(mesh)), members_(std::move(members)) {
  const auto own = std::ranges::find(members_, mesh_->membership().position);
  CHECK(own != members_.end());
  self_ = static_cast<int>(own - members_.begin());
  averaged_ = size();
}

Result<void> TcpCommunicator::connect() {
  return failed_ ? Result<void>(*failed_) : connect_for({.kind = kBarrier});
}

// Before the first collective, and not while it goes on: who finds a mismatch then can tell both
// neighbours, so that it reaches all.
Result<void> TcpCommunicator::connect_for(const Call& call) {
  if (connected_ || size() == 1) return {};
  Job nothing{call};
  return execute(nothing);
}

Result<void> TcpCommunicator::execute(Job& job) {
  Executor executor(*mesh_, {mesh_->operations(), members_, self_, timeout_, grace_}, job);
  auto end = executor.run();
  if (!end) failed_ = end.error();
  connected_ = connected_ || (end.ok() && !job.messages);
  return end;
}

Result<void> TcpCommunicator::run(Job& job) {
  if (failed_) return *failed_;
  if (mesh_->alarm().raised()) {
    return Error{Errc::generation_changed, call_text(job.call) + ": the generation has changed"};
  }
  if (size() == 1) return {};
  if (job.messages) return execute(job);
  auto connected = connect_for(job.call);
  if (!connected) return connected;
  mesh_->count_operation();
  return execute(job);
}

Error TcpCommunicator::refuse(const Call& call, const std::string& words) {
  if (failed_) return *failed_;
  if (auto connected = connect_for(call); !connected) return connected.error();
  mesh_->count_operation();
  Job nothing{call};
  Executor executor(*mesh_, {mesh_->operations(), members_, self_, timeout_, grace_}, nothing);
  executor.refuse(words);
  failed_ = executor.run().error();
  return *failed_;
}

const schedules::Ordered& TcpCommunicator::ordered(const Plan& plan) {
  const std::vector<int> key = {static_cast<int>(plan.operation), static_cast<int>(plan.algorithm),
                                plan.root, plan.segments, plan.tokens ? 1 : 0};
  if (plans_.size() > kPlansMax) plans_.clear();
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    auto made = schedules::order(schedules::steps_of(plan, self_), schedules::block_count(plan));
    found = plans_.emplace(key, std::move(made)).first;
  }
  return found->second;
}

Result<void> TcpCommunicator::run_plan(Call call, Plan plan, const std::vector<Stretch>& blocks,
                                       const void* input, void* output, Reduction reduction,
                                       std::size_t window) {
  if (spoken_) call = *spoken_;
  // What is in all hands when it is whole says that all have called; an empty block does not.
  const bool empty = std::ranges::any_of(blocks, [](const Stretch& b) { return b.bytes == 0; });
  plan.tokens = empty || plan.operation == Operation::broadcast;
  Job job = make_job(call, ordered(plan), blocks, input, output, members_);
  job.reduction = reduction;
  job.average_of = averaged_;
  job.window = window;
  return run(job);
}

Result<void> TcpCommunicator::barrier() {
  return run_plan({.kind = kBarrier}, {Operation::barrier, Algorithm::dissemination, size()}, {},
                  nullptr, nullptr);
}

Result<void> TcpCommunicator::broadcast(void* data, std::size_t count, Type type, int root) {
  CHECK(root >= 0 && root < size());
  CHECK(data != nullptr || position() != root || count == 0);
  const std::size_t bytes = count * size_of(type);
  const Call call{kBroadcast, static_cast<std::uint32_t>(type), 0, static_cast<std::uint32_t>(root),
                  count};
  const Plan plan = choose(Operation::broadcast, size(), root, bytes, choice_);
  std::size_t window = 0;
  if (data == nullptr) {
    window = kRelayChunks * kChunkBytes;
    scratch_.resize(std::max(scratch_.size(), window));
    data = scratch_.data();
  }
  return run_plan(call, plan, {{0, bytes}}, data, data, RINGMASTER_SUM, window);
}

Result<void> TcpCommunicator::all_gather(const void* input, void* output, const Counts& counts,
                                         Type type) {
  CHECK_EQ(counts.size(), members_.size());
  const std::size_t width = size_of(type);
  copy_bytes(at(output, before(counts, position()) * width), input,
             counts[static_cast<std::size_t>(position())] * width);
  const Plan plan = choose(Operation::all_gather, size(), 0, total(counts) * width, choice_);
  return run_plan(counted_call(kAllGather, type, counts), plan, counted_blocks(counts, width),
                  output, output);
}

Result<void> TcpCommunicator::reduce_scatter(const void* input, void* output, const Counts& counts,
                                             Type type, Reduction reduction) {
  CHECK_EQ(counts.size(), members_.size());
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "reduce_scatter: " + problem};
  }
  Call call = counted_call(kReduceScatter, type, counts);
  call.reduction = static_cast<std::uint32_t>(reduction);
  const std::size_t width = size_of(type), bytes = total(counts) * width;
  const std::size_t begin = before(counts, position()) * width;
  // Partial sums wait here until they are sent.
  scratch_.resize(std::max(scratch_.size(), bytes));
  const Plan plan = choose(Operation::reduce_scatter, size(), 0, bytes, choice_);
  auto end = run_plan(call, plan, counted_blocks(counts, width), input, scratch_.data(), reduction);
  if (!end) return end;
  const void* own = size() == 1 ? at(input, 0) : scratch_.data() + begin;
  copy_bytes(output, own, counts[static_cast<std::size_t>(position())] * width);
  return {};
}

/// A rank whose own counts are right would complete, and never learn of the others'.
Result<void> TcpCommunicator::agree_on_parts(const Call& call, const Counts& give,
                                             const Counts& take) {
  std::vector<std::uint64_t> sums(members_.size());
  sums[static_cast<std::size_t>(position())] = parts_sum(give, take, position());
  const Counts one(members_.size(), 1);
  const std::size_t width = sizeof(std::uint64_t);
  const Plan plan = choose(Operation::all_gather, size(), 0, sums.size() * width, choice_);
  auto end = run_plan(call, plan, counted_blocks(one, width), sums.data(), sums.data());
  if (!end || std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) == 0) return end;
  failed_ =
      parts_difference(*this, give, take, [&](int peer) { return mesh_->number(flat(peer)); });
  return *failed_;
}

Result<void> TcpCommunicator::all_to_all(const void* input, const Counts& give, void* output,
                                         const Counts& take, Type type) {
  const auto own = static_cast<std::size_t>(position());
  CHECK_EQ(give.size(), members_.size());
  CHECK_EQ(take.size(), members_.size());
  if (give[own] != take[own]) return Error{Errc::invalid, kTakesOther};
  const std::size_t width = size_of(type);
  copy_bytes(at(output, before(take, position()) * width),
             at(input, before(give, position()) * width), give[own] * width);
  Job job{{.kind = kAllToAll, .type = static_cast<std::uint32_t>(type)}};
  if (auto agreed = agree_on_parts(job.call, give, take); !agreed) return agreed;
  const Plan plan{Operation::all_to_all, Algorithm::pairwise, size()};
  for (const schedules::Step& step : ordered(plan).steps) {
    const bool sends = step.action == schedules::Action::send;
    const Counts& counts = sends ? give : take;
    Task task;
    task.action = step.action;
    task.peer = flat(step.peer);
    task.stretch.bytes = counts[static_cast<std::size_t>(step.peer)] * width;
    task.own = at(input, before(give, step.peer) * width);
    task.target = at(output, before(take, step.peer) * width);
    // The count travels with the array, and as a token when there is nothing.
    task.call = job.call;
    task.call.count = counts[static_cast<std::size_t>(step.peer)];
    job.tasks.push_back(task);
  }
  return run(job);
}

Result<void> TcpCommunicator::all_reduce(const void* input, void* output, std::size_t count,
                                         Type type, Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  const Call call{kAllReduce, static_cast<std::uint32_t>(type),
                  static_cast<std::uint32_t>(reduction), 0, count};
  const std::size_t width = size_of(type);
  const Plan plan = choose(Operation::all_reduce, size(), 0, count * width, choice_);
  if (size() == 1) {
    auto end = run_plan(call, plan, {}, input, output);
    if (end) copy_bytes(output, input, count * width);
    return end;
  }
  if (plan.algorithm == Algorithm::gather) return reduce_gathered(call, plan, input, output);
  return run_plan(call, plan, even_blocks(plan, count, width), input, output, reduction);
}

Result<void> TcpCommunicator::reduce_gathered(const Call& call, const Plan& plan, const void* input,
                                              void* output) {
  const auto type = static_cast<Type>(call.type);
  const std::size_t bytes = call.count * size_of(type), ranks = members_.size();
  scratch_.resize(std::max(scratch_.size(), ranks * bytes));
  copy_bytes(scratch_.data() + static_cast<std::size_t>(self_) * bytes, input, bytes);
  std::vector<Stretch> blocks;
  std::vector<const void*> inputs;
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    blocks.push_back({peer * bytes, bytes});
    inputs.push_back(scratch_.data() + peer * bytes);
  }
  auto end = run_plan(call, plan, blocks, scratch_.data(), scratch_.data());
  if (end && call.count > 0) {
    reduce(inputs, output, call.count, type, static_cast<Reduction>(call.reduction), averaged_);
  }
  return end;
}

Result<void> TcpCommunicator::exchange(const std::vector<Transfer>& sends,
                                       const std::vector<Transfer>& receives) {
  Job job{{.kind = kExchange}};
  job.messages = true;
  const auto add = [&](const Transfer& transfer, schedules::Action action) {
    CHECK(transfer.peer >= 0 && transfer.peer < size());
    Task task;
    task.call = {.kind = kExchange,
                 .type = static_cast<std::uint32_t>(transfer.type),
                 .count = transfer.count};
    job.call = task.call;
    if (transfer.peer == position()) return;
    task.action = action;
    task.peer = flat(transfer.peer);
    task.stretch.bytes = transfer.count * size_of(transfer.type);
    task.own = task.target = at(transfer.data, 0);
    job.tasks.push_back(task);
  };
  for (const Transfer& one : sends) add(one, schedules::Action::send);
  for (const Transfer& one : receives) add(one, schedules::Action::receive);
  if (auto moved = exchange_with_self(sends, receives, position()); !moved) return moved;
  return run(job);
}

}  // namespace ringmaster::collectives

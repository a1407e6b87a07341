// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/tcp_communicator.h"

#include <algorithm>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/reduce.h"
#include "collectives/tcp/exchange.h"
#include "collectives/tcp/rendezvous.h"

namespace ringmaster::collectives {

namespace {

// Chunks of a broadcast that a rank passes on without keeping: one comes in, one goes out, and two
// so that neither waits.
constexpr std::size_t kRelayChunks = 4;

}  // namespace

TcpCommunicator::TcpCommunicator(TcpListener& listener, TcpMembership membership, Abort abort)
    : listener_(listener),
      membership_(std::move(membership)),
      alarm_(abort, membership_.generation) {
  CHECK(membership_.position >= 0 && membership_.position < size());
  if (membership_.numbers.empty()) {
    for (int number = 0; number < size(); ++number) membership_.numbers.push_back(number);
  }
  CHECK_EQ(membership_.numbers.size(), membership_.endpoints.size());
}

Result<void> TcpCommunicator::connect() {
  if (failed_) return *failed_;
  return connect_for("connect");
}

Result<void> TcpCommunicator::connect_for(const std::string& what) {
  if (size() == 1 || next_ || prev_) return {};
  if (membership_.secret.empty()) return Error{Errc::invalid, what + ": the job has no secret"};
  auto links = meet(listener_, membership_, alarm_, what, timeout_, grace_);
  if (!links) {
    failed_ = links.error();
    return *failed_;
  }
  next_ = std::move(links->next);
  prev_ = std::move(links->prev);
  return {};
}

Result<void> TcpCommunicator::run(const Call& call, Flow flow) {
  if (failed_) return *failed_;
  if (alarm_.raised()) {
    return Error{Errc::generation_changed, call_text(call) + ": the generation has changed"};
  }
  if (size() == 1) return {};
  auto connected = connect_for(call_text(call));
  if (!connected) return connected;
  const Neighbours links{next_ ? *next_ : *prev_, prev_ ? *prev_ : *next_};
  Exchange exchange(links, alarm_,
                    {membership_.generation, ++operation_, call, position(), membership_.numbers,
                     timeout_, grace_},
                    std::move(flow));
  auto end = exchange.run();
  if (!end) failed_ = end.error();
  return end;
}

int TcpCommunicator::back(std::size_t steps) const {
  const int n = size();
  return (position() + n - static_cast<int>(steps % static_cast<std::size_t>(n))) % n;
}

Flow TcpCommunicator::tokens_flow() const {
  Flow flow;
  flow.tokens = size() - 1;
  return flow;
}

Result<void> TcpCommunicator::barrier() {
  return run({.kind = kBarrier}, tokens_flow());
}

Result<void> TcpCommunicator::broadcast(void* data, std::size_t count, Type type, int root) {
  CHECK(root >= 0 && root < size());
  CHECK(data != nullptr || position() != root || count == 0);
  const std::size_t bytes = count * size_of(type);
  const int distance = (position() - root + size()) % size();
  Flow flow = tokens_flow();
  if (distance > 0) flow.in = Walk({{0, bytes}});
  if (distance < size() - 1) flow.out = Walk({{0, bytes}});
  if (distance == 0) flow.own = chunks_in(bytes);
  if (data == nullptr) {
    scratch_.resize(kRelayChunks * kChunkBytes);
    if (!flow.out.done()) flow.window = kRelayChunks;
  }
  const auto place = [this, data](const Chunk& chunk) {
    if (data != nullptr) return at(data, chunk.begin);
    return scratch_.data() + chunk.index % kRelayChunks * kChunkBytes;
  };
  flow.source = place;
  flow.target = place;
  return run(
      {kBroadcast, static_cast<std::uint32_t>(type), 0, static_cast<std::uint32_t>(root), count},
      std::move(flow));
}

/// Every rank's own part of `output` (`bytes` by position) goes to all others.
Flow TcpCommunicator::gather_flow(std::byte* output, const Counts& bytes) const {
  Flow flow;
  if (total(bytes) == 0) return tokens_flow();
  std::vector<Stretch> steps;
  for (std::size_t step = 0; step < static_cast<std::size_t>(size()); ++step) {
    const int peer = back(step);
    steps.push_back({before(bytes, peer), bytes[static_cast<std::size_t>(peer)]});
  }
  flow.own = chunks_in(steps.front().bytes);
  flow.in = Walk({steps.begin() + 1, steps.end()});
  steps.pop_back();
  flow.out = Walk(std::move(steps));
  flow.source = flow.target = [output](const Chunk& chunk) { return output + chunk.begin; };
  return flow;
}

Result<void> TcpCommunicator::all_gather(const void* input, void* output, const Counts& counts,
                                         Type type) {
  return gather(counted_call(kAllGather, type, counts), input, output, counts, type);
}

Result<void> TcpCommunicator::gather(const Call& call, const void* input, void* output,
                                     const Counts& counts, Type type) {
  CHECK_EQ(counts.size(), membership_.endpoints.size());
  Counts bytes;
  for (const std::size_t count : counts) bytes.push_back(count * size_of(type));
  copy_bytes(at(output, before(bytes, position())), input,
             bytes[static_cast<std::size_t>(position())]);
  return run(call, gather_flow(at(output, 0), bytes));
}

// The ring's all-reduce with a result for each: half of its steps would do.
Result<void> TcpCommunicator::reduce_scatter(const void* input, void* output, const Counts& counts,
                                             Type type, Reduction reduction) {
  CHECK_EQ(counts.size(), membership_.endpoints.size());
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "reduce_scatter: " + problem};
  }
  Call call = counted_call(kReduceScatter, type, counts);
  call.reduction = static_cast<std::uint32_t>(reduction);
  const std::size_t width = size_of(type);
  std::vector<std::byte> all(total(counts) * width);
  auto end = reduce_all(call, input, all.data(), total(counts));
  if (!end) return end;
  copy_bytes(output, all.data() + before(counts, position()) * width,
             counts[static_cast<std::size_t>(position())] * width);
  return {};
}

// Ranks are connected to their neighbours only: everything passes everybody.
Result<void> TcpCommunicator::all_to_all(const void* input, const Counts& give, void* output,
                                         const Counts& take, Type type) {
  const auto ranks = static_cast<std::size_t>(size());
  const auto own = static_cast<std::size_t>(position());
  CHECK_EQ(give.size(), ranks);
  CHECK_EQ(take.size(), ranks);
  if (give[own] != take[own]) return Error{Errc::invalid, kTakesOther};
  std::vector<std::uint64_t> table(ranks * ranks);
  const std::vector<std::uint64_t> row(give.begin(), give.end());
  const Call call{.kind = kAllToAll, .type = static_cast<std::uint32_t>(type)};
  auto end = gather(call, row.data(), table.data(), Counts(ranks, ranks), RINGMASTER_INT64);
  if (!end) return end;
  const auto given = [&](std::size_t from) {
    const auto begin = table.begin() + static_cast<std::ptrdiff_t>(from * ranks);
    return Counts(begin, begin + static_cast<std::ptrdiff_t>(ranks));
  };
  Counts totals;
  for (std::size_t from = 0; from < ranks; ++from) totals.push_back(total(given(from)));
  const std::size_t width = size_of(type);
  std::vector<std::byte> all(total(totals) * width);
  end = gather(call, input, all.data(), totals, type);
  for (std::size_t from = 0; end && from < ranks; ++from) {
    const Counts counts = given(from);
    if (counts[own] != take[from]) return Error{Errc::mismatch, kTakesOther};
    const int peer = static_cast<int>(from);
    copy_bytes(at(output, before(take, peer) * width),
               all.data() + (before(totals, peer) + before(counts, position())) * width,
               counts[own] * width);
  }
  return end;
}

Result<void> TcpCommunicator::all_reduce(const void* input, void* output, std::size_t count,
                                         Type type, Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  const Call call{kAllReduce, static_cast<std::uint32_t>(type),
                  static_cast<std::uint32_t>(reduction), 0, count};
  return reduce_all(call, input, output, count);
}

Result<void> TcpCommunicator::reduce_all(const Call& call, const void* input, void* output,
                                         std::size_t count) {
  const std::size_t bytes = count * size_of(static_cast<Type>(call.type));
  const bool small = size() == 1 || bytes <= small_bytes_max(size());
  return small ? reduce_small(call, input, output, count)
               : reduce_large(call, input, output, count);
}

Result<void> TcpCommunicator::reduce_small(const Call& call, const void* input, void* output,
                                           std::size_t count) {
  const auto type = static_cast<Type>(call.type);
  const std::size_t bytes = count * size_of(type);
  if (size() == 1) {
    auto end = run(call, {});
    if (end) copy_bytes(output, input, bytes);
    return end;
  }
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(size()) * bytes));
  copy_bytes(scratch_.data() + static_cast<std::size_t>(position()) * bytes, input, bytes);
  auto end =
      run(call, gather_flow(scratch_.data(), Counts(static_cast<std::size_t>(size()), bytes)));
  if (!end || count == 0) return end;
  std::vector<const void*> inputs;
  for (std::size_t peer = 0; peer < static_cast<std::size_t>(size()); ++peer) {
    inputs.push_back(scratch_.data() + peer * bytes);
  }
  reduce(inputs, output, count, type, static_cast<Reduction>(call.reduction));
  return {};
}

Result<void> TcpCommunicator::reduce_large(const Call& call, const void* input, void* output,
                                           std::size_t count) {
  const auto type = static_cast<Type>(call.type);
  const auto reduction = static_cast<Reduction>(call.reduction);
  const std::size_t width = size_of(type);
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<Stretch> steps;
  for (std::size_t step = 0; step < 2 * ranks - 1; ++step) {
    steps.push_back(slice_of(count, width, back(step), size()));
  }
  Flow flow;
  flow.in = Walk({steps.begin() + 1, steps.end()});
  steps.pop_back();
  flow.own = chunks_in(steps.front().bytes);
  flow.out = Walk(std::move(steps));
  // One chunk for what came in, one for its sum with our own.
  scratch_.resize(std::max(scratch_.size(), 2 * kChunkBytes));
  // The partial sums wait in `output` until they are sent. Nothing that is needed is overwritten:
  // a slice's result comes back only after its partial sum has gone from here.
  flow.source = [=](const Chunk& chunk) {
    return chunk.step == 0 ? at(input, chunk.begin) : at(output, chunk.begin);
  };
  flow.target = [=, this](const Chunk& chunk) {
    return chunk.step < ranks - 1 ? scratch_.data() : at(output, chunk.begin);
  };
  flow.received = [=, this](const Chunk& chunk) {
    if (chunk.step >= ranks - 1) return;
    std::byte* sum = scratch_.data() + kChunkBytes;
    // Only the last sum is the whole one.
    const bool partial = reduction == RINGMASTER_AVERAGE && chunk.step < ranks - 2;
    reduce({scratch_.data(), at(input, chunk.begin)}, sum, chunk.bytes / width, type,
           partial ? RINGMASTER_SUM : reduction, size());
    copy_bytes(at(output, chunk.begin), sum, chunk.bytes);
  };
  return run(call, std::move(flow));
}

}  // namespace ringmaster::collectives

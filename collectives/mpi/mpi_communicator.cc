// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi/mpi_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <numeric>

#include "collectives/bytes.h"
#include "collectives/mpi/mpi_wait.h"
#include "collectives/reduce.h"

namespace ringmaster::collectives {

namespace {

/// Of a transfer; collectives have none.
constexpr int kTag = 1;

Error too_much() {
  return {Errc::invalid, "MPI counts to 2147483647 elements a call: cut the array"};
}

}  // namespace

Result<std::unique_ptr<MpiCommunicator>> MpiCommunicator::make() {
  // Our own, so that our messages and the program's do not meet.
  MPI_Comm raw = MPI_COMM_NULL;
  auto made = check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &raw), "MPI_Comm_dup");
  if (made) made = check_mpi(MPI_Comm_set_errhandler(raw, MPI_ERRORS_RETURN), "MPI errors");
  if (!made) return made.error();
  int size = 0, position = 0;
  MPI_Comm_size(raw, &size);
  MPI_Comm_rank(raw, &position);
  auto operations = MpiOperations::make();
  if (!operations) return operations.error();
  std::vector<int> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  return std::unique_ptr<MpiCommunicator>(
      new MpiCommunicator(raw, std::move(numbers), position, std::move(*operations)));
}

MpiCommunicator::MpiCommunicator(MPI_Comm raw, std::vector<int> numbers, int position,
                                 std::unique_ptr<MpiOperations> operations)
    : raw_(raw),
      numbers_(std::move(numbers)),
      position_(position),
      operations_(std::move(operations)),
      agreement_(numbers_, position,
                 [this](const void* own, void* all, std::size_t bytes) -> Result<void> {
                   const int count = static_cast<int>(bytes);
                   std::byte* out = lend(bytes);
                   std::byte* in = lend(bytes * numbers_.size());
                   copy_bytes(out, own, bytes);
                   auto heard = wait_for([&](MPI_Request* request) {
                     return MPI_Iallgather(out, count, MPI_BYTE, in, count, MPI_BYTE, raw_,
                                           request);
                   });
                   if (heard) copy_bytes(all, in, bytes * numbers_.size());
                   return heard;
                 }) {}

MpiCommunicator::~MpiCommunicator() {
  // Freeing is a collective, which after a failure nobody may be in step for.
  if (!failed_) MPI_Comm_free(&raw_);
  if (!mpi_is_unsound()) return;
  // MPI may still write here, until the process ends.
  static auto& kept = *new std::vector<std::vector<std::byte>>;
  for (auto& memory : lent_) kept.push_back(std::move(memory));
}

std::byte* MpiCommunicator::lend(std::size_t bytes) {
  lent_.emplace_back(bytes);
  return lent_.back().data();
}

const int* MpiCommunicator::lend_counts(const Counts& counts) {
  auto* all = reinterpret_cast<int*>(lend(counts.size() * sizeof(int)));
  for (std::size_t i = 0; i < counts.size(); ++i) all[i] = static_cast<int>(counts[i]);
  return all;
}

const int* MpiCommunicator::lend_places(const Counts& counts) {
  auto* all = reinterpret_cast<int*>(lend(counts.size() * sizeof(int)));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all[i] = static_cast<int>(before(counts, static_cast<int>(i)));
  }
  return all;
}

Result<void> MpiCommunicator::wait_for(const std::function<int(MPI_Request*)>& begin) {
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  auto begun = check_mpi(begin(requests.data()), "MPI");
  return begun ? wait_mpi(requests, timeout_) : begun;
}

Result<void> MpiCommunicator::run(const Call& call, bool has_array,
                                  const std::function<Result<void>(const Agreed&)>& body) {
  if (failed_) return *failed_;
  lent_.clear();
  auto agreed = agreement_.agree(call, has_array ? Memory::host : Memory::none);
  Result<void> end;
  if (!agreed) {
    end = agreed.error();  // names the call
  } else if (end = body(*agreed); !end && end.error().code != Errc::mismatch) {
    end = Error{end.error().code, call_text(call) + ": " + end.error().message};
  }
  if (!end) failed_ = end.error();
  return end;
}

Result<void> MpiCommunicator::all_reduce(const void* input, void* output, std::size_t count,
                                         Type type, Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  const Call call{.kind = kAllReduce,
                  .type = static_cast<std::uint32_t>(type),
                  .reduction = static_cast<std::uint32_t>(reduction),
                  .count = count};
  return run(call, true, [&](const Agreed&) {
    const std::size_t width = size_of(type);
    Result<void> step;
    for (std::size_t done = 0; step && done < count; done += kPieceMax) {
      const auto piece = static_cast<int>(std::min(kPieceMax, count - done));
      const void* from = input == output ? MPI_IN_PLACE : at(input, done * width);
      step = wait_for([&](MPI_Request* request) {
        return MPI_Iallreduce(from, at(output, done * width), piece, mpi_type(type),
                              operations_->find(type, reduction), raw_, request);
      });
    }
    if (step && reduction == RINGMASTER_AVERAGE) {
      reduce({output}, output, count, type, reduction, size());
    }
    return step;
  });
}

Result<void> MpiCommunicator::reduce_scatter(const void* input, void* output, const Counts& counts,
                                             Type type, Reduction reduction) {
  CHECK_EQ(counts.size(), numbers_.size());
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "reduce_scatter: " + problem};
  }
  Call call = counted_call(kReduceScatter, type, counts);
  call.reduction = static_cast<std::uint32_t>(reduction);
  return run(call, true, [&](const Agreed&) -> Result<void> {
    if (total(counts) > INT_MAX) return too_much();
    const std::size_t own = counts[static_cast<std::size_t>(position_)];
    // MPI wants them apart, and in place its result at the beginning: ours is the own part.
    std::byte* result = lend(own * size_of(type));
    const int* parts = lend_counts(counts);
    auto step = wait_for([&](MPI_Request* request) {
      return MPI_Ireduce_scatter(input, result, parts, mpi_type(type),
                                 operations_->find(type, reduction), raw_, request);
    });
    if (!step) return step;
    copy_bytes(output, result, own * size_of(type));
    if (reduction == RINGMASTER_AVERAGE) reduce({output}, output, own, type, reduction, size());
    return {};
  });
}

Result<void> MpiCommunicator::all_gather(const void* input, void* output, const Counts& counts,
                                         Type type) {
  CHECK_EQ(counts.size(), numbers_.size());
  return run(counted_call(kAllGather, type, counts), true, [&](const Agreed&) -> Result<void> {
    if (total(counts) > INT_MAX) return too_much();
    const int *parts = lend_counts(counts), *places = lend_places(counts);
    const bool in_place = input == at(output, before(counts, position_) * size_of(type));
    return wait_for([&](MPI_Request* request) {
      return MPI_Iallgatherv(in_place ? MPI_IN_PLACE : input, parts[position_], mpi_type(type),
                             output, parts, places, mpi_type(type), raw_, request);
    });
  });
}

Result<void> MpiCommunicator::all_to_all(const void* input, const Counts& give, void* output,
                                         const Counts& take, Type type) {
  CHECK_EQ(give.size(), numbers_.size());
  CHECK_EQ(take.size(), numbers_.size());
  const Call call{.kind = kAllToAll, .type = static_cast<std::uint32_t>(type)};
  return run(call, true, [&](const Agreed&) -> Result<void> {
    auto largest = agreement_.agree_parts(give, take);
    if (!largest) return largest.error();
    // The same verdict on all ranks, whose own sums differ.
    if (*largest > INT_MAX / numbers_.size()) return too_much();
    const int *given = lend_counts(give), *from = lend_places(give);
    const int *taken = lend_counts(take), *to = lend_places(take);
    return wait_for([&](MPI_Request* request) {
      return MPI_Ialltoallv(input, given, from, mpi_type(type), output, taken, to, mpi_type(type),
                            raw_, request);
    });
  });
}

Result<void> MpiCommunicator::broadcast(void* data, std::size_t count, Type type, int root) {
  CHECK(root >= 0 && root < size());
  CHECK(data != nullptr || position_ != root || count == 0);
  const Call call{kBroadcast, static_cast<std::uint32_t>(type), 0, static_cast<std::uint32_t>(root),
                  count};
  return run(call, data != nullptr, [&](const Agreed& agreed) {
    const std::size_t width = size_of(type);
    const std::size_t most = agreed.null_somewhere ? kScratchBytes / width : kPieceMax;
    std::byte* scratch = data == nullptr ? lend(std::min(most, count) * width) : nullptr;
    Result<void> step;
    for (std::size_t done = 0; step && done < count; done += most) {
      void* piece = data == nullptr ? scratch : at(data, done * width);
      step = wait_for([&](MPI_Request* request) {
        return MPI_Ibcast(piece, static_cast<int>(std::min(most, count - done)), mpi_type(type),
                          root, raw_, request);
      });
    }
    return step;
  });
}

/// The agreement is one: nobody has it before all have come.
Result<void> MpiCommunicator::barrier() {
  return run({.kind = kBarrier}, false, [](const Agreed&) { return Result<void>(); });
}

Result<void> MpiCommunicator::transfer(const Transfers& sends, const Transfers& receives) {
  std::vector<MPI_Request> requests;
  const auto begin = [&](int code, MPI_Request request) {
    requests.push_back(request);
    return check_mpi(code, "MPI");
  };
  Result<void> step;
  for (const Transfer& one : receives) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Irecv(one.data, static_cast<int>(one.count), mpi_type(one.type), one.peer,
                               kTag, raw_, &request);
    if (step) step = begin(code, request);
  }
  for (const Transfer& one : sends) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Isend(one.data, static_cast<int>(one.count), mpi_type(one.type), one.peer,
                               kTag, raw_, &request);
    if (step) step = begin(code, request);
  }
  return step ? wait_mpi(requests, timeout_) : step;
}

Result<void> MpiCommunicator::transfer_heads(const Transfers& sends, const Transfers& receives) {
  Transfers out = sends, in = receives;
  for (Transfer& one : out) {
    const void* head = one.data;
    one.data = lend(one.count);
    copy_bytes(one.data, head, one.count);
  }
  for (Transfer& one : in) one.data = lend(one.count);
  auto done = transfer(out, in);
  for (std::size_t i = 0; done && i < in.size(); ++i) {
    copy_bytes(receives[i].data, in[i].data, in[i].count);
  }
  return done;
}

Result<void> MpiCommunicator::exchange(const std::vector<Transfer>& sends,
                                       const std::vector<Transfer>& receives) {
  if (failed_) return *failed_;
  lent_.clear();
  auto agreed = agree_on_transfers(
      sends, receives, numbers_, position_, [](const Transfer&) { return Memory::host; },
      [this](const Transfers& out, const Transfers& in) { return transfer_heads(out, in); });
  Result<void> end;
  if (!agreed) end = agreed.error();
  const auto is_long = [](const Transfer& one) { return one.count > INT_MAX; };
  const bool too_long = std::any_of(sends.begin(), sends.end(), is_long) ||
                        std::any_of(receives.begin(), receives.end(), is_long);
  if (end && too_long) end = too_much();
  if (end) end = transfer(sends, receives);
  if (end) return end;
  failed_ = Error{end.error().code, "send and receive: " + end.error().message};
  return *failed_;
}

}  // namespace ringmaster::collectives

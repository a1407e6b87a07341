// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/gpu_communicator.h"

#include <fmt/format.h>

#include "collectives/reduce.h"
#include "collectives/transfer_agreement.h"

namespace ringmaster::collectives {

namespace {

Call reduce_call(std::uint32_t kind, Type type, Reduction reduction, std::size_t count) {
  return {.kind = kind,
          .type = static_cast<std::uint32_t>(type),
          .reduction = static_cast<std::uint32_t>(reduction),
          .count = count};
}

}  // namespace

GpuCommunicator::GpuCommunicator(std::unique_ptr<Communicator> host, Gpu& gpu,
                                 std::vector<int> numbers, std::function<bool()> aborted)
    : host_(std::move(host)),
      gpu_(gpu),
      numbers_(std::move(numbers)),
      watch_{std::move(aborted)},
      agreement_(numbers_, host_->position(),
                 [this](const void* own, void* all, std::size_t bytes) -> Result<void> {
                   auto heard = host_->all_gather(own, all, bytes, RINGMASTER_UINT8);
                   if (heard || heard.error().code == Errc::generation_changed) return heard;
                   return Error{heard.error().code,
                                "agreeing on it over the host: " + heard.error().message};
                 }) {
  CHECK_EQ(numbers_.size(), static_cast<std::size_t>(host_->size()));
}

Memory GpuCommunicator::memory_of(std::initializer_list<Array> arrays) const {
  Memory memory = Memory::none;
  for (const Array& array : arrays) {
    if (array.count > 0) memory = together(memory, gpu_.stream().memory_of(array.data));
  }
  return memory;
}

Result<void> GpuCommunicator::run(const Call& call, Memory memory,
                                  const std::function<Result<void>()>& on_host,
                                  const std::function<Result<void>(const Agreed&)>& on_device) {
  if (failed_) return *failed_;
  host_->set_timeout(timeout_);
  return dispatch(call_text(call), agreement_.agree(call, memory), on_host, on_device);
}

Result<void> GpuCommunicator::dispatch(
    const std::string& what, const Result<Agreed>& agreed,
    const std::function<Result<void>()>& on_host,
    const std::function<Result<void>(const Agreed&)>& on_device) {
  watch_.timeout = timeout_;
  Result<void> end;
  if (!agreed) {
    end = agreed.error();  // names the call
  } else if (agreed->memory == Memory::host) {
    end = on_host();
  } else {
    end = gpu_.stream().begin();
    if (end) end = on_device(*agreed);
    const bool named = !end && end.error().code == Errc::mismatch;
    if (!end && !named) end = Error{end.error().code, what + ": " + end.error().message};
  }
  if (!end) failed_ = end.error();  // nothing can be in step after it
  return end;
}

Result<void> GpuCommunicator::all_reduce(const void* input, void* output, std::size_t count,
                                         Type type, Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  return run(
      reduce_call(kAllReduce, type, reduction, count), memory_of({{input, count}, {output, count}}),
      [&] { return host_->all_reduce(input, output, count, type, reduction); },
      [&](const Agreed&) {
        return device_->all_reduce({{input, output, count, type, reduction}}, watch_);
      });
}

Result<void> GpuCommunicator::all_reduce_group(const std::vector<Reduce>& group) {
  Memory memory = Memory::none;
  for (const Reduce& one : group) {
    if (const std::string problem = reduction_problem(one.type, one.reduction); !problem.empty()) {
      return Error{Errc::invalid, "all_reduce: " + problem};
    }
    memory = together(memory, memory_of({{one.input, one.count}, {one.output, one.count}}));
  }
  if (failed_) return *failed_;
  host_->set_timeout(timeout_);
  return dispatch(
      fmt::format("a group of {} all_reduces", group.size()), agreement_.agree_group(group, memory),
      [&] { return host_->all_reduce_group(group); },
      [&](const Agreed&) { return device_->all_reduce(group, watch_); });
}

Result<void> GpuCommunicator::reduce_scatter(const void* input, void* output, const Counts& counts,
                                             Type type, Reduction reduction) {
  CHECK_EQ(counts.size(), numbers_.size());
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "reduce_scatter: " + problem};
  }
  Call call = counted_call(kReduceScatter, type, counts);
  call.reduction = static_cast<std::uint32_t>(reduction);
  const std::size_t own = counts[static_cast<std::size_t>(position())];
  return run(
      call, memory_of({{input, total(counts)}, {output, own}}),
      [&] { return host_->reduce_scatter(input, output, counts, type, reduction); },
      [&](const Agreed&) {
        return device_->reduce_scatter(input, output, counts, type, reduction, watch_);
      });
}

Result<void> GpuCommunicator::all_gather(const void* input, void* output, const Counts& counts,
                                         Type type) {
  CHECK_EQ(counts.size(), numbers_.size());
  const std::size_t own = counts[static_cast<std::size_t>(position())];
  return run(
      counted_call(kAllGather, type, counts), memory_of({{input, own}, {output, total(counts)}}),
      [&] { return host_->all_gather(input, output, counts, type); },
      [&](const Agreed&) { return device_->all_gather(input, output, counts, type, watch_); });
}

Result<void> GpuCommunicator::all_to_all(const void* input, const Counts& give, void* output,
                                         const Counts& take, Type type) {
  CHECK_EQ(give.size(), numbers_.size());
  CHECK_EQ(take.size(), numbers_.size());
  return run(
      {.kind = kAllToAll, .type = static_cast<std::uint32_t>(type)},
      memory_of({{input, total(give)}, {output, total(take)}}),
      [&] { return host_->all_to_all(input, give, output, take, type); },
      [&](const Agreed&) -> Result<void> {
        auto largest = agreement_.agree_parts(give, take);
        if (!largest) return largest.error();
        return device_->all_to_all(input, give, output, take, *largest, type, watch_);
      });
}

Result<void> GpuCommunicator::broadcast(void* data, std::size_t count, Type type, int root) {
  CHECK(root >= 0 && root < size());
  CHECK(data != nullptr || position() != root || count == 0);
  return run(
      {kBroadcast, static_cast<std::uint32_t>(type), 0, static_cast<std::uint32_t>(root), count},
      memory_of({{data, count}}), [&] { return host_->broadcast(data, count, type, root); },
      [&](const Agreed& agreed) {
        return device_->broadcast(data, count, type, root, agreed.null_somewhere, watch_);
      });
}

/// The agreement is one: nobody has it before all have come.
Result<void> GpuCommunicator::barrier() {
  return run(
      {.kind = kBarrier}, Memory::none, [] { return Result<void>(); },
      [](const Agreed&) { return Result<void>(); });
}

Result<void> GpuCommunicator::exchange(const std::vector<Transfer>& sends,
                                       const std::vector<Transfer>& receives) {
  if (failed_) return *failed_;
  if (sends.empty() && receives.empty()) return {};
  host_->set_timeout(timeout_);
  auto memory = agree_on_transfers(
      sends, receives, numbers_, position(),
      [this](const Transfer& one) {
        return memory_of({{one.data, one.count}});
      },
      [this](const auto& out, const auto& in) { return host_->exchange(out, in); });
  Result<Agreed> agreed = Agreed{};
  if (!memory) {
    agreed = Error{memory.error().code, "send and receive: " + memory.error().message};
  } else if (*memory == Memory::both || *memory == Memory::other_device) {
    agreed = Error{Errc::invalid,
                   "send and receive: host memory and that of this rank's GPU do "
                   "not go together in one call"};
  } else if (*memory == Memory::device) {
    agreed->memory = Memory::device;
  }
  return dispatch(
      "send and receive", agreed, [&] { return host_->exchange(sends, receives); },
      [&](const Agreed&) { return device_->exchange(sends, receives, watch_); });
}

}  // namespace ringmaster::collectives

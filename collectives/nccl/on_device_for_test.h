// SPDX-License-Identifier: Apache-2.0
//
// Lets a suite that knows host memory only test an engine of GPUs: every array goes to the GPU
// before the operation, and what the operation wrote comes back. In place stays in place. Only
// tests include it.
#pragma once

#include "collectives/bytes.h"
#include "collectives/nccl/gpu_ranks_for_test.h"

namespace ringmaster::collectives {

class OnDevice : public Communicator {
 public:
  OnDevice(Communicator& engine, Gpu& gpu) : engine_(engine), gpu_(gpu) {}

  using Communicator::all_gather;
  int size() const override { return engine_.size(); }
  int position() const override { return engine_.position(); }
  Result<void> barrier() override { return engine_.barrier(); }

  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override {
    const std::size_t bytes = count * size_of(type);
    DeviceArray from(gpu_, input, bytes), to(gpu_, output, bytes);
    const bool in_place = input == output;
    auto end =
        engine_.all_reduce(from.data(), in_place ? from.data() : to.data(), count, type, reduction);
    (in_place ? from : to).read(output, bytes);
    return end;
  }
  Result<void> all_reduce_group(const std::vector<Reduce>& group) override {
    std::vector<DeviceArray> arrays;
    std::vector<Reduce> there;
    for (const Reduce& one : group) {
      arrays.emplace_back(gpu_, one.input, one.count * size_of(one.type));
      there.push_back(
          {arrays.back().data(), arrays.back().data(), one.count, one.type, one.reduction});
    }
    auto end = engine_.all_reduce_group(there);
    for (std::size_t i = 0; i < group.size(); ++i) {
      arrays[i].read(group[i].output, group[i].count * size_of(group[i].type));
    }
    return end;
  }
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction) override {
    const std::size_t width = size_of(type), begin = before(counts, position()) * width;
    const std::size_t own = counts[static_cast<std::size_t>(position())] * width;
    DeviceArray from(gpu_, input, total(counts) * width), to(gpu_, output, own);
    std::byte* result = output == at(input, begin) ? from.data() + begin : to.data();
    auto end = engine_.reduce_scatter(from.data(), result, counts, type, reduction);
    DeviceArray(gpu_, result, own).read(output, own);
    return end;
  }
  Result<void> all_gather(const void* input, void* output, const Counts& counts,
                          Type type) override {
    const std::size_t width = size_of(type), begin = before(counts, position()) * width;
    const std::size_t own = counts[static_cast<std::size_t>(position())] * width;
    DeviceArray from(gpu_, input, own), to(gpu_, output, total(counts) * width);
    const bool in_place = input == at(output, begin);
    auto end =
        engine_.all_gather(in_place ? to.data() + begin : from.data(), to.data(), counts, type);
    to.read(output, total(counts) * width);
    return end;
  }
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          Type type) override {
    DeviceArray from(gpu_, input, total(give) * size_of(type));
    DeviceArray to(gpu_, output, total(take) * size_of(type));
    auto end = engine_.all_to_all(from.data(), give, to.data(), take, type);
    to.read(output, total(take) * size_of(type));
    return end;
  }
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override {
    if (data == nullptr) return engine_.broadcast(nullptr, count, type, root);
    DeviceArray there(gpu_, data, count * size_of(type));
    auto end = engine_.broadcast(there.data(), count, type, root);
    there.read(data, count * size_of(type));
    return end;
  }
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override {
    std::vector<DeviceArray> arrays;
    std::vector<Transfer> there[2];
    for (const auto* transfers : {&sends, &receives}) {
      for (const Transfer& one : *transfers) {
        arrays.emplace_back(gpu_, one.data, one.count * size_of(one.type));
        there[transfers == &sends ? 0 : 1].push_back(
            {arrays.back().data(), one.count, one.type, one.peer});
      }
    }
    auto end = engine_.exchange(there[0], there[1]);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      arrays[sends.size() + i].read(receives[i].data,
                                    receives[i].count * size_of(receives[i].type));
    }
    return end;
  }

 private:
  Communicator& engine_;
  Gpu& gpu_;
};

/// For the suite of all engines: a body on each rank, with arrays on GPUs.
inline void run_gpu_ranks(int ranks, GpuRanks::Gpus gpus,
                          const std::function<void(Communicator&)>& body) {
  const int needed = gpus == GpuRanks::Gpus::own ? ranks : 1;
  if (gpus_for_test() < needed) GTEST_SKIP() << "needs " << needed << " GPUs";
  GpuRanks(ranks, gpus).run([&](GpuCommunicator& engine, Gpu& gpu) {
    OnDevice on_device(engine, gpu);
    body(on_device);
  });
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// Facts for tests: of a host on which all is well, and any facts at all. Only tests include it.
#pragma once

#include <fmt/format.h>

#include "base/random.h"
#include "launcher/doctor/facts.h"

namespace ringmaster::launcher::doctor {

inline std::string sample_bus_id(int gpu) {
  return fmt::format("0000:{:02x}:00.0", 0x10 * (gpu + 1));
}

inline topology::Gpu healthy_gpu(int index) {
  topology::Gpu gpu{.index = index, .bus_id = sample_bus_id(index)};
  gpu.name = "NVIDIA H100";
  gpu.uuid = fmt::format("GPU-{}", index);
  gpu.health.pcie = {32, 32, 16, 16};
  for (int port = 0; port < 18; ++port) {
    gpu.health.nvlinks.push_back({.port = port, .state = topology::LinkState::up});
    gpu.health.nvlinks.back().to_switch = true;
  }
  gpu.health.memory_bytes = 80ULL << 30;
  gpu.health.memory_used_bytes = 600ULL << 20;
  gpu.health.ecc_uncorrected = 0;
  return gpu;
}

/// Four GPUs behind NVSwitches, two RDMA ports, two NUMA nodes, and nothing wrong.
inline Facts healthy_host() {
  constexpr int kGpus = 4;
  Facts facts;
  topology::DriverChecks checks{.library_version = "12.550.54.15", .driver_version = "550.54.15"};
  checks.cuda_version = 12040;
  for (int i = 0; i < kGpus; ++i) {
    facts.machine.gpus.push_back(healthy_gpu(i));
    checks.gpus.push_back({.bus_id = sample_bus_id(i)});
    topology::GpuChecks& gpu = checks.gpus.back();
    gpu.remap_failed = gpu.repair_pending = false;
    gpu.throttle = 1;  // idle
    gpu.compute_mode = 0;
    gpu.persistence = true;
    gpu.fabric_state = 3;
    gpu.fabric_result = 0;
    for (int j = 0; j < kGpus; ++j) {
      if (i != j) checks.peers.push_back({sample_bus_id(i), sample_bus_id(j), 0});
    }
  }
  facts.machine.nodes = {{0, {0, 1}}, {1, {2, 3}}};
  facts.driver = {.module_version = "550.54.15", .checks = std::move(checks)};
  facts.libraries = {.cuda_runtime = {.name = "libcudart.so.12", .version = 12040},
                     .nccl = {.name = "libnccl.so.2", .version = 22105},
                     .cuda_driver = 12040,
                     .nccl_cuda = 12040};
  facts.xids = std::vector<XidEvent>();
  facts.rdma = {{"mlx5_0", 1, "ACTIVE"}, {"mlx5_1", 1, "ACTIVE"}};
  facts.peer_memory_module = true;
  facts.limits.open_files = facts.limits.open_files_max = 1 << 20;
  facts.limits.locked_bytes = facts.limits.threads = kUnlimited;
  facts.shared_memory = {"/dev/shm", true, true, true, 64ULL << 30, 60ULL << 30};
  facts.temporary = {"/tmp", true, true, false, 200ULL << 30, 100ULL << 30};
  facts.memory = {.total = 128ULL << 30, .available = 120ULL << 30, .commit_limit = 64ULL << 30};
  facts.memory_limit = GroupLimit{};
  facts.thread_limit = GroupLimit{};
  facts.overcommit = 0;
  facts.shared_huge_pages = "never";
  facts.kernel = 601;
  facts.processors = 4;
  facts.clock_synchronised = true;
  facts.governor = {"intel_pstate", "powersave", "balance_performance"};
  facts.name = {"node1", {"10.0.0.7"}};
  facts.ptrace_scope = 1;
  facts.numa_balancing = 0;
  return facts;
}

/// Makes one thing of the host another, or unknown: what `random` picks.
inline void change_something(Random& random, Facts& facts) {
  const auto number = [&] { return random.next() >> random.below(64); };
  const auto small = [&] { return static_cast<int>(random.below(16)) - 2; };
  auto& gpus = facts.machine.gpus;
  auto& checks = facts.driver.checks;
  topology::Gpu* gpu = gpus.empty() ? nullptr : &gpus[random.below(gpus.size())];
  topology::GpuChecks* asked =
      checks && !checks->gpus.empty() ? &checks->gpus[random.below(checks->gpus.size())] : nullptr;
  const std::uint64_t what = random.below(26);
  if (what == 0) facts.driver.checks.reset();
  if (what == 1) facts.driver.module_version = random.chance(0.5) ? "" : "535.1";
  if (what == 2 && checks) checks->error = "Unknown Error";
  if (what == 3 && !gpus.empty()) gpus.erase(gpus.begin());
  if (what == 4 && gpu != nullptr) gpu->health.lost = "GPU is lost";
  if (what == 5 && gpu != nullptr) gpu->health = {};
  if (what == 6 && gpu != nullptr) gpu->health.pcie.width = small();
  if (what == 7 && gpu != nullptr) gpu->health.memory_used_bytes = number();
  if (what == 8 && asked != nullptr) asked->throttle = number();
  if (what == 9 && asked != nullptr) asked->fabric_state = small();
  if (what == 10 && asked != nullptr) *asked = {.bus_id = "0000:99:00.0"};
  if (what == 11) facts.libraries = {};
  if (what == 12) facts.libraries.cuda_driver = static_cast<int>(random.below(20000));
  if (what == 13) facts.xids.reset();
  if (what == 14) facts.rdma.clear();
  if (what == 15) facts.limits = {};
  if (what == 16) facts.limits = {number(), number(), number(), number(), number(), false, false};
  if (what == 17) facts.shared_memory = FolderFacts{"/dev/shm", true, true, true, number(), 0};
  if (what == 18) facts.temporary.reset();
  if (what == 19) facts.memory = MemoryFacts{number(), number(), number(), number(), number(), 1};
  if (what == 20) facts.memory_limit = GroupLimit{number(), number()};
  if (what == 21) facts.overcommit = small();
  if (what == 22) facts.kernel.reset();
  if (what == 23) facts.processor_quota = random.unit() * 8;
  if (what == 24) facts.name = NameFacts{"n", {}, "no such name"};
  if (what == 25 && checks && !checks->peers.empty()) checks->peers[0].status = small();
}

}  // namespace ringmaster::launcher::doctor

// SPDX-License-Identifier: Apache-2.0
//
// What was seen of this host, before anybody judges it (diagnose.h). What is empty could not be
// read, which is normal: containers hide things, and users may not look at everything.
//
// Pure. Filled by read_facts.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/doctor/xid.h"
#include "topology/detect/driver_checks.h"
#include "topology/topology.h"

namespace ringmaster::launcher::doctor {

/// "No limit", as a number.
inline constexpr std::uint64_t kUnlimited = UINT64_MAX;

/// NVIDIA's driver, as far as it answered.
struct DriverFacts {
  std::string module_version = {};  // of the kernel module, from /proc; "" where none is loaded
  std::optional<topology::DriverChecks> checks = std::nullopt;
  std::string error = {};  // why there are no checks
  bool no_library = false, hangs = false;
  std::vector<std::string> refused = {};  // a GPU that may not even be named: why
};

/// A library that a program on GPUs loads.
struct LibraryFacts {
  std::string name = {};  // of the file; "" where it was not found
  std::string why = {};   // it was not found
  int version = 0;        // 12040 is CUDA 12.4, 22809 is NCCL 2.28.9
};

struct LibrariesFacts {
  LibraryFacts cuda_runtime = {}, nccl = {};
  std::optional<int> cuda_driver = std::nullopt;  // the highest CUDA that the driver serves
  std::optional<int> nccl_cuda = std::nullopt;    // the CUDA that NCCL was built with
};

struct RdmaPort {
  std::string device;  // "mlx5_0"
  int port = 0;
  std::string state;  // "ACTIVE", "DOWN"

  bool operator==(const RdmaPort&) const = default;
};

struct LimitFacts {
  std::optional<std::uint64_t> open_files = std::nullopt, open_files_max = std::nullopt;
  std::optional<std::uint64_t> locked_bytes = std::nullopt;
  std::optional<std::uint64_t> threads = std::nullopt, threads_used = std::nullopt;  // of this user
  bool may_lock_all = false, any_threads = false;  // capabilities above the limits
};

/// Bytes, and what of them is free.
struct FolderFacts {
  std::string path = {};
  bool there = false, writable = false, in_memory = false;
  std::uint64_t bytes = 0, free_bytes = 0;
};

/// Of /proc/meminfo; bytes.
struct MemoryFacts {
  std::uint64_t total = 0, available = 0, swap_total = 0, swap_free = 0;
  std::uint64_t commit_limit = 0, committed = 0;
  std::uint64_t huge_total = 0, huge_free = 0;  // of pages that are reserved
};

/// What a control group allows and uses, the tightest of those above this process.
struct GroupLimit {
  std::uint64_t limit = kUnlimited, used = 0;
};

/// How the processors' clocks are driven, of the first that tells.
struct GovernorFacts {
  std::string driver, governor, preference;  // "intel_pstate", "powersave", "balance_performance"
};

/// What the host's name leads to.
struct NameFacts {
  std::string name = {};
  std::vector<std::string> addresses = {};
  std::string error = {};  // why it leads nowhere
};

struct Facts {
  topology::Topology machine = {};
  DriverFacts driver = {};
  LibrariesFacts libraries = {};
  std::optional<std::vector<XidEvent>> xids = std::nullopt;  // since the host was started
  std::vector<RdmaPort> rdma = {};
  std::optional<bool> peer_memory_module = std::nullopt;  // nvidia_peermem
  bool in_container = false;
  LimitFacts limits = {};
  std::optional<FolderFacts> shared_memory = std::nullopt, temporary = std::nullopt;
  std::optional<MemoryFacts> memory = std::nullopt;
  std::optional<GroupLimit> memory_limit = std::nullopt, thread_limit = std::nullopt;
  std::optional<int> overcommit = std::nullopt;
  std::optional<std::string> shared_huge_pages = std::nullopt;  // "never", "advise", "deny"
  std::optional<int> kernel = std::nullopt;                     // 601 is 6.1
  int processors = 0;                                           // that this process may run on
  double processor_quota = 0;                                   // 0: none
  std::optional<bool> clock_synchronised = std::nullopt;
  std::optional<GovernorFacts> governor = std::nullopt;
  std::optional<NameFacts> name = std::nullopt;
  std::optional<int> ptrace_scope = std::nullopt, numa_balancing = std::nullopt;
};

}  // namespace ringmaster::launcher::doctor

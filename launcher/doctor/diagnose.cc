// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/diagnose.h"

#include <algorithm>

#include "base/check.h"
#include "launcher/doctor/checks.h"

namespace ringmaster::launcher::doctor {

const std::vector<Check>& checks() {
  static const std::vector<Check> all = {
      {"driver", "NVIDIA's driver answers", "problem", &judge_driver},
      {"driver-version", "kernel module and library of NVIDIA's driver are of one version",
       "problem", &judge_driver_version},
      {"gpus", "no GPU is lost, and the driver knows all that are on the PCI bus", "problem",
       &judge_lost_gpus},
      {"xid", "Xid errors in the kernel's log since the host was started", "problem", &judge_xids},
      {"ecc", "uncorrected ECC errors since the driver was loaded", "warning", &judge_ecc},
      {"gpu-repair", "bad GPU memory that waits to be replaced, or could not be", "problem",
       &judge_memory_repair},
      {"gpu-clocks", "GPU clocks that heat, power or a fault hold down", "warning",
       &judge_throttling},
      {"gpu-memory", "GPU memory that other programs hold", "warning", &judge_gpu_memory},
      {"compute-mode", "GPUs that take no process, or only one", "problem", &judge_compute_mode},
      {"fabric-manager", "GPUs that have not joined their NVSwitches", "problem",
       &judge_fabric_manager},
      {"persistence", "the driver stays loaded between programs", "note", &judge_persistence},
      {"cuda", "the driver serves the CUDA of the runtime and of NCCL", "problem", &judge_cuda},
      {"nccl", "NCCL is found, and new enough", "warning", &judge_nccl},
      {"nvlink", "NVLinks that are down", "warning", &judge_nvlinks},
      {"pcie", "GPUs on fewer PCIe lanes, or slower, than they could be", "warning", &judge_pcie},
      {"peer-access", "GPUs that do not reach each other's memory", "warning", &judge_peer_access},
      {"rdma", "RDMA ports that are not active", "warning", &judge_rdma_ports},
      {"gpu-direct", "RDMA devices reach GPU memory", "note", &judge_gpu_direct},
      {"memlock", "memory that may be locked, where there are RDMA devices", "problem",
       &judge_memlock},
      {"open-files", "open files of a process, and how many ranks they suffice for", "problem",
       &judge_open_files},
      {"threads", "threads that this user and control group may still start", "problem",
       &judge_threads},
      {"processors", "a quota of processors below their number", "note", &judge_processors},
      {"shm", "/dev/shm: there, in memory, large enough", "problem", &judge_shared_memory},
      {"tmp", "the folder for temporary files: writable, with room", "problem",
       &judge_temporary_files},
      {"memory", "memory that is available", "problem", &judge_memory},
      {"memory-limit", "the control group's limit of memory", "warning", &judge_memory_limit},
      {"overcommit", "memory may be promised before it is used", "problem", &judge_overcommit},
      {"swap", "swap that is in use", "note", &judge_swap},
      {"huge-pages", "memory that is reserved for huge pages and unused", "warning",
       &judge_reserved_pages},
      {"shm-huge-pages", "shared memory can use huge pages", "note", &judge_shared_huge_pages},
      {"clock", "the clock is synchronised", "warning", &judge_clock},
      {"host-name", "the host's name leads to an address that others reach", "warning",
       &judge_host_name},
      {"cpu-clocks", "the processors' clocks are not held at their lowest", "warning",
       &judge_governor},
      {"ptrace", "ranks may read each other's memory, for MPI", "note", &judge_ptrace},
      {"numa-balancing", "the kernel does not move memory between NUMA nodes", "note",
       &judge_numa_balancing},
  };
  return all;
}

std::vector<Finding> diagnose(const Facts& facts) {
  std::vector<Finding> findings;
  for (const Check& check : checks()) {
    Verdicts verdicts = check.judge(facts);
    CHECK(!verdicts.empty());
    for (Verdict& verdict : verdicts) {
      CHECK(verdict.level < Level::note || !verdict.advice.empty());
      findings.push_back({std::string(check.name), std::move(verdict)});
    }
  }
  return findings;
}

Level worst_of(const std::vector<Finding>& findings) {
  Level worst = Level::ok;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict.level);
  return worst;
}

}  // namespace ringmaster::launcher::doctor

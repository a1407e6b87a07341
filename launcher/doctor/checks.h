// SPDX-License-Identifier: Apache-2.0
//
// The checks, one function each: from facts to at least one verdict. Their names and what they look
// at are in the table of diagnose.cc; bounds stand in the functions, with their reasons.
//
// Pure.
#pragma once

#include "launcher/doctor/facts.h"
#include "launcher/doctor/finding.h"

namespace ringmaster::launcher::doctor {

Verdict fine(std::string seen);
Verdict not_known(std::string seen);
Verdict note(std::string seen, std::string advice);
Verdict warning(std::string seen, std::string advice);
Verdict problem(std::string seen, std::string advice);

/// "GPU3 (0000:3b:00.0)"; the bus id alone where it is no GPU of the machine.
std::string gpu_name(const topology::Gpu& gpu);
std::string gpu_name(const Facts& facts, const std::string& bus_id);
/// GPUs that are NVIDIA's: by their place in the PCI tree, or because its driver told of them.
std::vector<const topology::Gpu*> nvidia_gpus(const Facts& facts);
/// What a check of GPUs says where there are none, or none that the driver tells of; empty where
/// there is something to look at.
Verdicts nothing_to_ask(const Facts& facts);

// gpu_driver.cc
Verdicts judge_driver(const Facts& facts);
Verdicts judge_driver_version(const Facts& facts);
Verdicts judge_cuda(const Facts& facts);
Verdicts judge_nccl(const Facts& facts);
Verdicts judge_fabric_manager(const Facts& facts);
Verdicts judge_compute_mode(const Facts& facts);
Verdicts judge_persistence(const Facts& facts);

// gpu_health.cc
Verdicts judge_lost_gpus(const Facts& facts);
Verdicts judge_xids(const Facts& facts);
Verdicts judge_ecc(const Facts& facts);
Verdicts judge_memory_repair(const Facts& facts);
Verdicts judge_throttling(const Facts& facts);
Verdicts judge_gpu_memory(const Facts& facts);

// gpu_links.cc
Verdicts judge_nvlinks(const Facts& facts);
Verdicts judge_pcie(const Facts& facts);
Verdicts judge_peer_access(const Facts& facts);
Verdicts judge_rdma_ports(const Facts& facts);
Verdicts judge_gpu_direct(const Facts& facts);

// host_limits.cc
Verdicts judge_memlock(const Facts& facts);
Verdicts judge_open_files(const Facts& facts);
Verdicts judge_threads(const Facts& facts);
Verdicts judge_processors(const Facts& facts);
Verdicts judge_shared_memory(const Facts& facts);
Verdicts judge_temporary_files(const Facts& facts);

// host_memory.cc
Verdicts judge_memory(const Facts& facts);
Verdicts judge_memory_limit(const Facts& facts);
Verdicts judge_overcommit(const Facts& facts);
Verdicts judge_swap(const Facts& facts);
Verdicts judge_reserved_pages(const Facts& facts);
Verdicts judge_shared_huge_pages(const Facts& facts);

// host_system.cc
Verdicts judge_clock(const Facts& facts);
Verdicts judge_host_name(const Facts& facts);
Verdicts judge_governor(const Facts& facts);
Verdicts judge_ptrace(const Facts& facts);
Verdicts judge_numa_balancing(const Facts& facts);

}  // namespace ringmaster::launcher::doctor

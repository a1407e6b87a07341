// SPDX-License-Identifier: Apache-2.0
//
// Takes apart what the kernel and libraries write: files of /proc and /sys, and a string that NCCL
// carries. Any bytes give an answer or none.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launcher/doctor/facts.h"

namespace ringmaster::launcher::doctor {

/// /proc/meminfo; nothing where it does not tell the total.
std::optional<MemoryFacts> parse_memory(std::string_view text);

/// "535.129.03" of /proc/driver/nvidia/version; "" where there is none.
std::string parse_module_version(std::string_view text);

/// The first word behind "KEY:" in lines such as those of /proc/self/status; "" where it lacks.
std::string_view value_behind(std::string_view text, std::string_view key);

/// A limit of a control group: a number, or kUnlimited for "max" and for what version 1 writes.
std::optional<std::uint64_t> parse_group_limit(std::string_view text);

/// "never" of "always within_size [never]".
std::optional<std::string> parse_choice(std::string_view text);

/// 601 of "6.1.0-18-amd64".
std::optional<int> parse_kernel(std::string_view release);

/// "ACTIVE" of "4: ACTIVE".
std::string parse_port_state(std::string_view text);

/// 12040 of "NCCL version 2.21.5+cuda12.4", a string that the file of NCCL has somewhere in it.
std::optional<int> parse_nccl_cuda(std::string_view bytes);

}  // namespace ringmaster::launcher::doctor

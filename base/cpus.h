// SPDX-License-Identifier: Apache-2.0
//
// How many processors this process may use: its affinity mask, cut by the CPU quota of its control
// group (v1 or v2). Never the number of cores of the machine: in a container that is another
// number, and spinning on it starves the peer that is waited for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster {

/// The numbers of the processors in the affinity mask, ascending; at least one.
std::vector<int> read_allowed_cpus();

/// allowed processors, cut by the quota and rounded up; at least 1.
int read_cpu_budget();

/// The quota of this process's control group and all above it, in processors; 0: no limit. `root`
/// ("" is the machine's) is where /proc and /sys are found. In a container of v1 the group's path
/// is the host's and not there to see: then what lies at the top counts.
double read_cpu_quota(const std::string& root);

/// Pure: processors that "max 100000" or "50000 100000" (cgroup v2 cpu.max) allow; 0: no limit.
double parse_cpu_max(std::string_view text);

}  // namespace ringmaster

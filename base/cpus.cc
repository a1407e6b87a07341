// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "base/control_group.h"

namespace ringmaster {

namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Calls `limit` for the group and all above it; the tightest counts. 0: no limit.
template <class Limit>
double tightest(std::string group, const Limit& limit) {
  double result = 0;
  for (; !group.empty(); group = group_above(group)) {
    const double here = limit(group);
    if (here > 0) result = result > 0 ? std::min(result, here) : here;
  }
  return result;
}

}  // namespace

std::vector<int> read_allowed_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

double read_cpu_quota(const std::string& root) {
  const std::string groups = root + "/sys/fs/cgroup";
  // The hybrid layout has v2 below a folder of its own, without the processors' controller.
  const double v2 = tightest(own_control_group(root, ""), [&](const std::string& group) {
    return parse_cpu_max(read_text(groups + group + "/cpu.max"));
  });
  if (v2 > 0) return v2;
  return tightest(own_control_group(root, "cpu"), [&](const std::string& group) {
    const std::string folder = groups + "/cpu" + group;
    return parse_cpu_max(read_text(folder + "/cpu.cfs_quota_us") + " " +
                         read_text(folder + "/cpu.cfs_period_us"));
  });
}

int read_cpu_budget() {
  const int allowed = static_cast<int>(read_allowed_cpus().size());
  const double quota = read_cpu_quota("");
  if (quota <= 0) return allowed;
  // Cut before it becomes an int, which cannot hold every quota that a file can name.
  return std::max(1, static_cast<int>(std::ceil(std::min<double>(quota, allowed))));
}

double parse_cpu_max(std::string_view text) {
  std::istringstream words{std::string(text)};
  double quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return 0;
  const double cpus = quota / period;
  return std::isfinite(cpus) ? cpus : 0;
}

}  // namespace ringmaster

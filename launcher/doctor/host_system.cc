// SPDX-License-Identifier: Apache-2.0
//
// The host as others see it, and settings of its kernel.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/doctor/checks.h"

namespace ringmaster::launcher::doctor {

namespace {

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

Verdicts judge_clock(const Facts& facts) {
  if (!facts.clock_synchronised) return {not_known("the kernel does not say")};
  if (*facts.clock_synchronised) return {fine("the clock is synchronised")};
  return {warning("the clock is not synchronised",
                  "start chronyd or systemd-timesyncd: with several hosts, logs do not line up and "
                  "credentials of stores are refused; alone, the host needs nothing")};
}

Verdicts judge_host_name(const Facts& facts) {
  if (!facts.name) return {not_known("this host's name was not asked for")};
  const NameFacts& name = *facts.name;
  const char* advice =
      "let /etc/hosts or DNS give it the address that other hosts reach: "
      "frameworks tell others the address behind this name; alone, the host needs "
      "nothing (GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME help, too)";
  if (!name.error.empty()) {
    return {warning(fmt::format("{} leads to no address: {}", name.name, name.error), advice)};
  }
  if (name.addresses.empty()) return {not_known("this host's name was not asked for")};
  const std::string what = fmt::format("{} is {}", name.name, fmt::join(name.addresses, ", "));
  if (is_loopback(name.addresses.front())) {
    return {warning(what + ", which only this host reaches", advice)};
  }
  return {fine(what)};
}

Verdicts judge_governor(const Facts& facts) {
  if (!facts.governor) return {fine("the kernel does not drive the processors' clocks")};
  const GovernorFacts& how = *facts.governor;
  // Under these drivers "powersave" is the usual setting and goes to full speed under load.
  const bool drives_itself =
      how.driver == "intel_pstate" || how.driver.starts_with("amd-pstate-epp");
  const std::string what =
      fmt::format("the processors' clocks are driven by {}, {}", how.driver, how.governor);
  const char* advice = "cpupower frequency-set -g performance";
  if (how.governor == "powersave" && !drives_itself) {
    return {warning(what + ": as slow as they can", advice)};
  }
  if (drives_itself && how.preference == "power") {
    return {note(what + ", to save power", advice)};
  }
  return {fine(what)};
}

Verdicts judge_ptrace(const Facts& facts) {
  constexpr int kAdminsOnly = 2;
  if (!facts.ptrace_scope) return {fine("nothing keeps processes of one user apart")};
  const std::string what = fmt::format("kernel.yama.ptrace_scope is {}", *facts.ptrace_scope);
  if (*facts.ptrace_scope < kAdminsOnly) return {fine(what)};
  return {note(what,
               "sysctl kernel.yama.ptrace_scope=1: MPI libraries copy large messages between "
               "ranks of a host twice where one may not read the other")};
}

Verdicts judge_numa_balancing(const Facts& facts) {
  const auto with_processors =
      std::count_if(facts.machine.nodes.begin(), facts.machine.nodes.end(),
                    [](const topology::NumaNode& node) { return !node.cpus.empty(); });
  if (with_processors < 2) return {fine("one NUMA node")};
  if (!facts.numa_balancing) return {not_known("kernel.numa_balancing cannot be read")};
  if (*facts.numa_balancing == 0) return {fine("the kernel moves no memory between NUMA nodes")};
  return {
      note("the kernel moves memory between NUMA nodes while programs run",
           "sysctl kernel.numa_balancing=0 where ranks are bound (ringrun --bind): its looks at "
           "memory make steps uneven")};
}

}  // namespace ringmaster::launcher::doctor

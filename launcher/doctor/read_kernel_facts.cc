// SPDX-License-Identifier: Apache-2.0
//
// The kernel's view: memory, settings, modules, clocks, RDMA devices.
#include <sys/timex.h>
#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>

#include "launcher/doctor/host_text.h"
#include "launcher/doctor/read_facts.h"
#include "topology/numbers.h"

namespace ringmaster::launcher::doctor {

namespace {

std::optional<int> read_number(const std::string& path) {
  const auto text = read_small_file(path);
  const auto value = text ? topology::parse_number(topology::trim(*text), -1, 1 << 30)
                          : std::optional<std::int64_t>();
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

std::string read_word(const std::string& path) {
  return std::string(topology::trim(read_small_file(path).value_or("")));
}

std::vector<std::string> names_in(const std::string& folder) {
  constexpr std::size_t kNamesMost = 4096;
  std::vector<std::string> names;
  std::error_code code;
  for (std::filesystem::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    names.push_back(at->path().filename());
    if (names.size() >= kNamesMost) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<RdmaPort> read_rdma_ports(const std::string& root) {
  std::vector<RdmaPort> ports;
  const std::string folder = root + "/sys/class/infiniband";
  for (const std::string& device : names_in(folder)) {
    const std::string of_device = folder + "/" + device + "/ports";
    for (const std::string& port : names_in(of_device)) {
      const auto number = topology::parse_number(port, 0, 255);
      const auto state = read_small_file(of_device + "/" + port + "/state");
      if (!number || !state) continue;
      ports.push_back({device, static_cast<int>(*number), parse_port_state(*state)});
    }
  }
  return ports;
}

std::optional<GovernorFacts> read_governor(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/cpu/cpu0/cpufreq/";
  GovernorFacts governor{.driver = read_word(folder + "scaling_driver"),
                         .governor = read_word(folder + "scaling_governor"),
                         .preference = read_word(folder + "energy_performance_preference")};
  if (governor.driver.empty() || governor.governor.empty()) return std::nullopt;
  return governor;
}

/// Docker and Podman leave a mark; others are seen by the file system of their root.
bool is_container(const std::string& root) {
  std::error_code code;
  for (const char* mark : {"/.dockerenv", "/run/.containerenv"}) {
    if (std::filesystem::exists(root + mark, code)) return true;
  }
  return read_small_file(root + "/proc/self/mounts").value_or("").starts_with("overlay / ");
}

std::optional<bool> read_clock_state() {
  timex state{};
  if (::adjtimex(&state) < 0) return std::nullopt;
  return (state.status & STA_UNSYNC) == 0;
}

}  // namespace

void read_kernel_facts(const std::string& root, Facts& facts) {
  const std::string settings = root + "/proc/sys/";
  facts.in_container = is_container(root);
  facts.memory = parse_memory(read_small_file(root + "/proc/meminfo").value_or(""));
  facts.overcommit = read_number(settings + "vm/overcommit_memory");
  facts.ptrace_scope = read_number(settings + "kernel/yama/ptrace_scope");
  facts.numa_balancing = read_number(settings + "kernel/numa_balancing");
  const auto huge = read_small_file(root + "/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  if (huge) facts.shared_huge_pages = parse_choice(*huge);
  utsname system{};
  if (::uname(&system) == 0) facts.kernel = parse_kernel(system.release);
  std::error_code code;
  if (std::filesystem::is_directory(root + "/sys/module", code)) {
    facts.peer_memory_module = std::filesystem::exists(root + "/sys/module/nvidia_peermem", code) ||
                               std::filesystem::exists(root + "/sys/module/nv_peer_mem", code);
  }
  facts.rdma = read_rdma_ports(root);
  facts.governor = read_governor(root);
  facts.clock_synchronised = read_clock_state();
}

}  // namespace ringmaster::launcher::doctor

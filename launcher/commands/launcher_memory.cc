// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/launcher_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include "launcher/process/descendants.h"

namespace ringmaster::launcher {

namespace {

/// As comm has them: 15 characters at most.
constexpr std::array<std::string_view, 4> kLaunchers = {"ringrun", "ring-guard", "ringmaster-pmix",
                                                        "hydra_pmi_proxy"};

/// The most resident memory that a process has had, in bytes; 0 when it is gone.
std::int64_t peak_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string word; file >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "VmHWM:" && file >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

void LauncherMemory::look(pid_t program) {
  peaks_[program] = std::max(peaks_[program], peak_of(program));
  for (const auto& process : descendants_of(program, list_processes())) {
    if (std::find(kLaunchers.begin(), kLaunchers.end(), process.name) == kLaunchers.end()) continue;
    std::int64_t& peak = peaks_[process.pid];
    peak = std::max(peak, peak_of(process.pid));
  }
}

double LauncherMemory::megabytes() const {
  double sum = 0;
  for (const auto& [pid, bytes] : peaks_) sum += static_cast<double>(bytes) / 1e6;
  return sum;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// What checks have in common: how a verdict is made, and how a GPU is named.
#include <fmt/format.h>

#include "launcher/doctor/checks.h"
#include "topology/pci_paths.h"

namespace ringmaster::launcher::doctor {

const char* level_name(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::unknown:
      return "unknown";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::problem:
      return "problem";
  }
  return "?";
}

Verdict fine(std::string seen) {
  return {Level::ok, std::move(seen), ""};
}
Verdict not_known(std::string seen) {
  return {Level::unknown, std::move(seen), ""};
}
Verdict note(std::string seen, std::string advice) {
  return {Level::note, std::move(seen), std::move(advice)};
}
Verdict warning(std::string seen, std::string advice) {
  return {Level::warning, std::move(seen), std::move(advice)};
}
Verdict problem(std::string seen, std::string advice) {
  return {Level::problem, std::move(seen), std::move(advice)};
}

std::string gpu_name(const topology::Gpu& gpu) {
  return gpu.bus_id ? fmt::format("GPU{} ({})", gpu.index, *gpu.bus_id)
                    : fmt::format("GPU{}", gpu.index);
}

std::string gpu_name(const Facts& facts, const std::string& bus_id) {
  for (const topology::Gpu& gpu : facts.machine.gpus) {
    if (gpu.bus_id == bus_id) return gpu_name(gpu);
  }
  return bus_id;
}

std::vector<const topology::Gpu*> nvidia_gpus(const Facts& facts) {
  std::vector<const topology::Gpu*> found;
  for (const topology::Gpu& gpu : facts.machine.gpus) {
    const auto at = gpu.bus_id ? topology::find_pci(facts.machine.pci, *gpu.bus_id) : std::nullopt;
    const bool nvidia = at && facts.machine.pci[*at].vendor == topology::kNvidia;
    if (nvidia || !gpu.uuid.empty()) found.push_back(&gpu);
  }
  return found;
}

Verdicts nothing_to_ask(const Facts& facts) {
  const auto& checks = facts.driver.checks;
  if (checks && checks->error.empty()) {
    if (!checks->gpus.empty()) return {};
  }
  if (nvidia_gpus(facts).empty()) return {fine("no NVIDIA GPU here")};
  return {not_known("NVIDIA's driver cannot be asked")};
}

}  // namespace ringmaster::launcher::doctor

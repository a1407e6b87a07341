// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/choose_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/whole_number.h"
#include "launcher/hostlist/text.h"
#include "topology/placement/placement.h"

namespace ringmaster::launcher {

namespace {

Result<topology::GpuSet> free_gpus(const topology::Topology& machine, const std::string& taken) {
  auto free = static_cast<topology::GpuSet>((std::uint64_t{1} << machine.gpus.size()) - 1);
  if (taken.empty()) return free;
  for (const std::string_view entry : hostlist::fields(taken, ',')) {
    int index = -1;
    const auto place =
        read_whole(entry, &index) ? topology::find_gpu(machine, index) : std::nullopt;
    if (!place) {
      return Error{Errc::invalid, fmt::format("--taken {}: there is no GPU \"{}\"", taken, entry)};
    }
    free &= ~(topology::GpuSet{1} << *place);
  }
  return free;
}

}  // namespace

Result<std::string> choice_text(const topology::Topology& machine, std::int64_t count,
                                const std::string& taken, bool json) {
  if (machine.gpus.size() > topology::kGpusOfMachineMost) {
    return Error{Errc::exhausted,
                 fmt::format("--choose {}: the machine has {} GPUs, and sets are "
                             "looked at of at most {}",
                             count, machine.gpus.size(), topology::kGpusOfMachineMost)};
  }
  const auto free = free_gpus(machine, taken);
  if (!free) return free.error();
  topology::MachineKind kind{topology::find_wires(machine)};
  for (const topology::Gpu& gpu : machine.gpus) kind.numbers.push_back(gpu.index);
  const topology::Cluster cluster{{kind}, {{"the machine", 0, *free}}};
  const auto answer = topology::find_placement(cluster, static_cast<int>(count));
  if (const auto* reason = std::get_if<std::string>(&answer)) {
    return Error{Errc::exhausted, fmt::format("--choose {}: {}", count, *reason)};
  }
  const auto& placement = std::get<topology::Placement>(answer);
  if (!json) return placement.why;
  nlohmann::ordered_json told = {{"gpus", nlohmann::json::array()}};
  for (const int place : placement.shares.front().order) {
    told["gpus"].push_back(machine.gpus[static_cast<std::size_t>(place)].index);
  }
  told["gb_s"] = std::isfinite(placement.gb_s) ? nlohmann::json(placement.gb_s) : nlohmann::json();
  told["why"] = placement.why;
  return told.dump();
}

}  // namespace ringmaster::launcher

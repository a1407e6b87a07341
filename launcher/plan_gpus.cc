// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan_gpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/whole_number.h"
#include "launcher/hostlist/text.h"
#include "topology/placement/machine_table.h"
#include "topology/rings/rings.h"

namespace ringmaster::launcher {

namespace {

using topology::Topology;

void set_unless_given(Variables& variables, const std::string& name, const std::string& value) {
  const bool given = std::any_of(variables.begin(), variables.end(),
                                 [&](const auto& one) { return one.first == name; });
  if (!given) variables.emplace_back(name, value);
}

/// Processors near the GPU that the launcher may use; none where that is not known.
std::vector<int> near_processors(const topology::Gpu& gpu, const HostFacts& host) {
  std::vector<int> allowed, near;
  for (const mapping::Core& core : host.cores) {
    allowed.insert(allowed.end(), core.processors.begin(), core.processors.end());
  }
  std::sort(allowed.begin(), allowed.end());
  if (!gpu.cpus) return near;
  std::vector<int> cpus = *gpu.cpus;
  std::sort(cpus.begin(), cpus.end());
  std::set_intersection(cpus.begin(), cpus.end(), allowed.begin(), allowed.end(),
                        std::back_inserter(near));
  return near;
}

/// `order`: places of GPUs, one for each rank.
void apply_order(const RunSettings& settings, const HostFacts& host, const std::vector<int>& order,
                 Plan* plan) {
  for (const int place : order) {
    plan->gpu_order.push_back(host.machine->gpus[static_cast<std::size_t>(place)].index);
  }
  // Numbers as the driver counts; CUDA's own order begins with the fastest.
  for (RankProgram& program : plan->programs) {
    set_unless_given(program.variables, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    set_unless_given(program.variables, "CUDA_VISIBLE_DEVICES",
                     fmt::format("{}", fmt::join(plan->gpu_order, ",")));
  }
  if (settings.bind != "auto") return;
  plan->processors.resize(plan->places.size());
  for (const mapping::Placement& place : plan->places) {
    const auto gpu = static_cast<std::size_t>(order[static_cast<std::size_t>(place.local_rank)]);
    plan->processors[static_cast<std::size_t>(place.rank)] =
        near_processors(host.machine->gpus[gpu], host);
  }
}

}  // namespace

Result<std::vector<int>> visible_places(const Topology& machine,
                                        const std::optional<std::string>& visible) {
  std::vector<int> places;
  if (!visible) {
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) places.push_back(static_cast<int>(i));
    return places;
  }
  for (const std::string_view entry : hostlist::fields(*visible, ',')) {
    const std::string_view device = hostlist::trimmed(entry);
    if (device.starts_with("MIG-")) {
      return Error{Errc::invalid,
                   "--map topo: CUDA_VISIBLE_DEVICES names parts of GPUs (MIG), "
                   "which have no links; use --map slot"};
    }
    int index = -1;
    const bool number = read_whole(device, &index);
    const auto at = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const auto& gpu) {
      return number ? gpu.index == index : gpu.uuid.starts_with(device) && device.size() > 4;
    });
    if (at == machine.gpus.end()) break;  // as CUDA reads it
    const int place = static_cast<int>(at - machine.gpus.begin());
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  return places;
}

Result<void> map_to_gpus(const RunSettings& settings, const HostFacts& host, Plan* plan) {
  const int ranks = static_cast<int>(plan->places.size());
  const bool here = std::all_of(plan->places.begin(), plan->places.end(),
                                [&](const auto& place) { return place.host == host.name; });
  if (!host.machine || host.machine->gpus.empty() || !here) {
    plan->remarks.push_back(
        fmt::format("--map topo: {}; ranks are placed by slot",
                    here ? "no GPU is here" : "other hosts' wires are not known"));
    return {};
  }
  const auto places = visible_places(*host.machine, host.visible);
  if (!places) return places.error();
  const int gpus = static_cast<int>(places->size());
  if (ranks > gpus || host.machine->gpus.size() > topology::kGpusOfMachineMost) {
    return Error{Errc::exhausted,
                 fmt::format("--map topo: {} ranks, {} visible GPUs (of at most {}): each rank "
                             "needs one of its own; use --map slot to share them",
                             ranks, gpus, topology::kGpusOfMachineMost)};
  }
  topology::GpuSet free = 0;
  for (const int place : *places) free |= topology::GpuSet{1} << place;
  topology::MachineTable table(topology::find_wires(*host.machine));
  const std::vector<int> chosen = topology::places_in(table.choose(free, ranks).gpus);
  const topology::RingSet rings =
      topology::find_rings(topology::select_gpus(table.wires(), chosen));
  std::vector<int> order;
  for (const int at : rings.order) order.push_back(chosen[static_cast<std::size_t>(at)]);
  apply_order(settings, host, order, plan);
  plan->remarks.push_back(
      ranks == 1 ? fmt::format("--map topo: GPU {} of {}, which others lose the least by",
                               plan->gpu_order.front(), gpus)
                 : fmt::format("--map topo: GPUs {} of {}, {:.1f} GB/s of all-reduce over their "
                               "wires",
                               fmt::join(plan->gpu_order, "-"), gpus, rings.gb_s));
  return {};
}

}  // namespace ringmaster::launcher

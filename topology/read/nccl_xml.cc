// SPDX-License-Identifier: Apache-2.0
//
// A machine out of NCCL's topology XML (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE), RCCL's included.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "topology/pci_paths.h"
#include "topology/read/nccl_tree.h"
#include "topology/read/readers.h"
#include "topology/stated_links.h"

namespace ringmaster::topology {

namespace {

/// GPUs get the numbers that the file states when it states one for each, else their places in the
/// order of bus ids, which is how the driver counts.
void number_gpus(Topology& machine) {
  std::set<int> stated;
  for (const Gpu& gpu : machine.gpus) stated.insert(gpu.index);
  const bool all = !stated.contains(-1) && stated.size() == machine.gpus.size();
  if (!all && stated != std::set<int>{-1}) {
    add_message(
        machine.warnings,
        "GPU numbers are not there for all, or stand twice: counted in the order of bus ids");
  }
  std::vector<std::size_t> order(machine.gpus.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Gpu &one = machine.gpus[a], &other = machine.gpus[b];
    return all ? one.index < other.index : is_before(*one.bus_id, *other.bus_id);
  });
  std::vector<Gpu> sorted;
  for (const std::size_t at : order) {
    sorted.push_back(std::move(machine.gpus[at]));
    if (!all) sorted.back().index = static_cast<int>(sorted.size()) - 1;
  }
  machine.gpus = std::move(sorted);
}

}  // namespace

Answer read_nccl_xml(std::string_view text) {
  constexpr const char* kWantedXml =
      "a file for NCCL_TOPO_FILE, or of NCCL_TOPO_DUMP_FILE, is wanted";
  auto read = read_xml(text);
  if (const auto* refusal = std::get_if<Refusal>(&read)) return *refusal;
  const XmlElement& system = std::get<XmlElement>(read);
  if (system.name != "system") {
    return Refusal{fmt::format("its root is {}, not \"system\"", shown(system.name)), system.line,
                   kWantedXml};
  }
  NcclTree tree = read_nccl_tree(system);
  if (tree.machine.pci.empty() && tree.machine.nics.empty() && tree.machine.nodes.empty()) {
    return Refusal{"it has no processor and no device", system.line, kWantedXml};
  }
  const std::string_view version = system.text("version");
  if (!version.empty() && version != "1" && version != "2") {
    add_message(tree.machine.warnings, fmt::format("version {} is not known", shown(version)));
  }
  number_gpus(tree.machine);
  settle_links(tree.machine, tree.links);
  fill_paths(tree.machine);
  return std::move(tree.machine);
}

}  // namespace ringmaster::topology

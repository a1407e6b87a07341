// SPDX-License-Identifier: Apache-2.0
//
// A machine out of NCCL's topology XML (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE), RCCL's included.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "topology/pci_paths.h"
#include "topology/read/nccl_tree.h"
#include "topology/read/readers.h"

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

class LinkReader {
 public:
  explicit LinkReader(NcclTree& tree) : machine_(tree.machine), stated_(tree.links) {}

  void read() {
    for (const Gpu& gpu : machine_.gpus) index_[*gpu.bus_id] = gpu.index;
    for (const StatedLink& link : stated_) count(link);
    for (const auto& [pair, count] : directed_) add_pair(pair.first, pair.second, count);
    if (!through_switch_.empty()) add_switched();
    if (!machine_.links.empty()) {
      machine_.fabric = through_switch_.empty() ? Fabric::direct : Fabric::switched;
    }
    std::sort(machine_.links.begin(), machine_.links.end(), [](const Link& a, const Link& b) {
      return std::pair(a.a, a.b) < std::pair(b.a, b.b);
    });
  }

 private:
  void count(const StatedLink& link);
  void add_pair(int from, int to, int count);
  void add_switched();

  Topology& machine_;
  const std::vector<StatedLink>& stated_;
  std::map<std::string, int> index_;
  std::map<std::pair<int, int>, int> directed_;
  std::map<int, int> through_switch_;
};

void LinkReader::count(const StatedLink& link) {
  const int from = index_.at(link.from);
  const auto target = index_.find(link.target);
  if (link.target == link.from) {
    add_message(machine_.warnings,
                fmt::format("line {}: GPU{} is linked to itself: left out", link.line, from));
  } else if (target != index_.end()) {
    directed_[{from, target->second}] += link.count;
  } else if (link.to_switch) {
    through_switch_[from] += link.count;
  } else {
    add_message(machine_.warnings,
                fmt::format("line {}: GPU{} is linked to {}, no GPU here: left out", link.line,
                            from, shown(link.target)));
  }
}

/// Both ends state a link; where they differ, the fewer are sure.
void LinkReader::add_pair(int from, int to, int count) {
  const auto back = directed_.find({to, from});
  const int other = back == directed_.end() ? 0 : back->second;
  if (other != 0 && from > to) return;  // told from the other end
  if (other != count) {
    add_message(machine_.warnings,
                fmt::format("GPU{} states {} links to GPU{}, which states {}", from, count, to,
                            other == 0 ? "none" : std::to_string(other)));
  }
  const int sure = other == 0 ? count : std::min(count, other);
  machine_.links.push_back({std::min(from, to), std::max(from, to), std::min(sure, 999)});
}

/// Through a switch each GPU reaches each other with all the links that both have.
void LinkReader::add_switched() {
  for (auto a = through_switch_.begin(); a != through_switch_.end(); ++a) {
    for (auto b = std::next(a); b != through_switch_.end(); ++b) {
      if (link_count(machine_, a->first, b->first) > 0) continue;
      machine_.links.push_back({a->first, b->first, std::min({a->second, b->second, 999})});
    }
  }
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
  LinkReader(tree).read();
  fill_paths(tree.machine);
  return std::move(tree.machine);
}

}  // namespace ringmaster::topology

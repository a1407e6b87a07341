// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/machine_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "topology/numbers.h"
#include "topology/pci_paths.h"
#include "topology/rings/pcie_forest.h"
#include "topology/show/picture/processor_groups.h"

namespace ringmaster::topology {

namespace {

/// A tree while it is built: switches know the bridge that they are, if any.
class MachineTreeMaker {
 public:
  explicit MachineTreeMaker(const Topology& machine)
      : machine_(machine),
        forest_(find_forest(machine)),
        groups_(processor_groups(machine, forest_)),
        usual_(pcie_speed({}, usual_gt_s(machine))) {
    placed_ = std::all_of(machine.gpus.begin(), machine.gpus.end(), [&](const Gpu& gpu) {
      return gpu.bus_id && find_pci(machine.pci, *gpu.bus_id);
    });
    bridges_.assign(forest_.places.size(), -1);
  }

  MachineTree make() {
    for (std::size_t i = 0; i < machine_.gpus.size(); ++i) processor_of_group(groups_[i]);
    for (std::size_t i = 0; i < machine_.gpus.size(); ++i) add_gpu(i);
    for (std::size_t i = 0; i < machine_.nics.size(); ++i) add_nic(i);
    return std::move(tree_);
  }

 private:
  int add(TreeNode node) {
    const int at = static_cast<int>(tree_.nodes.size());
    if (node.parent >= 0) {
      tree_.nodes[static_cast<std::size_t>(node.parent)].children.push_back(at);
    }
    if (node.kind == TreeKind::processor) tree_.processors.push_back(at);
    tree_.nodes.push_back(std::move(node));
    return at;
  }

  int processor_of_group(int group) {
    const auto [at, is_new] = of_group_.try_emplace(group, -1);
    if (!is_new) return at->second;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::optional<int>& numa = machine_.gpus[i].numa;
      if (groups_[i] == group && numa) return at->second = processor_of_numa(numa);
    }
    return at->second = add({.name = cpus_name(group)});
  }

  /// Of a processor whose NUMA node is not told: which processors it has, where that is.
  std::string cpus_name(int group) const {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const auto& cpus = machine_.gpus[i].cpus;
      if (groups_[i] == group && cpus && !cpus->empty()) {
        return "processors " + cpu_list_text(*cpus);
      }
    }
    return "NUMA node unknown";
  }

  int processor_of_numa(const std::optional<int>& numa) {
    const auto [at, is_new] = of_numa_.try_emplace(numa, -1);
    if (is_new) {
      at->second = add({.name = numa ? fmt::format("NUMA node {}", *numa) : "NUMA node unknown"});
    }
    return at->second;
  }

  static bool is_device(const Topology& machine, const std::string& bus_id) {
    const auto same = [&](const auto& device) { return device.bus_id == bus_id; };
    return std::any_of(machine.gpus.begin(), machine.gpus.end(), same) ||
           std::any_of(machine.nics.begin(), machine.nics.end(), same);
  }

  /// The nearest bridge above, which is no GPU or NIC itself; -1 where there is none.
  int bridge_above(int place) const {
    do {
      place = forest_.places[static_cast<std::size_t>(place)].parent;
    } while (place >= 0 && placed_ &&
             is_device(machine_, machine_.pci[static_cast<std::size_t>(place)].bus_id));
    return place;
  }

  /// The node of a bridge, made with those above it; of a tree's first one below `processor`.
  int bridge(int place, int processor) {
    int& node = bridges_[static_cast<std::size_t>(place)];
    if (node >= 0) return node;
    const PciePlace& at = forest_.places[static_cast<std::size_t>(place)];
    const int above = bridge_above(place);
    const int parent = above >= 0 ? bridge(above, processor) : processor;
    const std::string name =
        placed_ ? machine_.pci[static_cast<std::size_t>(place)].bus_id : std::string();
    const int made = add({TreeKind::pcie_switch, parent, name, at.up});
    return bridges_[static_cast<std::size_t>(place)] = made;
  }

  void add_gpu(std::size_t gpu) {
    const int place = forest_.of_gpu[gpu];
    const int processor = processor_of_group(groups_[gpu]);
    const int above = bridge_above(place);
    int parent = above >= 0 ? bridge(above, processor) : processor;
    if (above < 0 && !placed_) parent = shared_switch(gpu, processor);
    tree_.of_gpu.push_back(
        add({TreeKind::gpu, parent, fmt::format("GPU{}", machine_.gpus[gpu].index),
             forest_.places[static_cast<std::size_t>(place)].up, gpu}));
  }

  static bool is_below_one_switch(const MaybePath& path) {
    return path && (path->kind == PathClass::pix || path->kind == PathClass::pxb);
  }

  /// The switch that the GPU shares with an adapter, else the processor.
  int shared_switch(std::size_t gpu, int processor) {
    for (std::size_t nic = 0; nic < machine_.nics.size(); ++nic) {
      if (!is_below_one_switch(machine_.nics[nic].paths[gpu])) continue;
      int& node = of_nic_.try_emplace(nic, -1).first->second;
      if (node < 0) node = add({TreeKind::pcie_switch, processor, "", usual_});
      return node;
    }
    return processor;
  }

  void add_nic(std::size_t nic) {
    const Nic& own = machine_.nics[nic];
    const auto place = own.bus_id ? find_pci(machine_.pci, *own.bus_id) : std::nullopt;
    const bool in_tree = placed_ && place;
    const int above = in_tree ? bridge_above(static_cast<int>(*place)) : -1;
    const int parent = above >= 0 ? bridge(above, nic_processor(own)) : nic_parent(own);
    add({TreeKind::nic, parent, own.name, in_tree ? forest_.places[*place].up : usual_, nic});
  }

  /// Of a NIC without a place in the tree: the switch of a GPU near it, else its processor.
  int nic_parent(const Nic& nic) {
    for (std::size_t gpu = 0; gpu < nic.paths.size() && !placed_; ++gpu) {
      if (is_below_one_switch(nic.paths[gpu])) return tree_.at(tree_.of_gpu[gpu]).parent;
    }
    return nic_processor(nic);
  }

  int nic_processor(const Nic& nic) {
    if (nic.numa) return processor_of_numa(nic.numa);
    for (std::size_t gpu = 0; gpu < nic.paths.size(); ++gpu) {
      if (nic.paths[gpu] && nic.paths[gpu]->kind < PathClass::sys) {
        return tree_.processor_of(tree_.of_gpu[gpu]);
      }
    }
    return processor_of_numa(std::nullopt);
  }

  const Topology& machine_;
  const PcieForest forest_;
  const std::vector<int> groups_;
  const Speed usual_;
  bool placed_ = false;
  MachineTree tree_;
  std::vector<int> bridges_;
  std::map<int, int> of_group_;
  std::map<std::optional<int>, int> of_numa_;
  std::map<std::size_t, int> of_nic_;
};

Speed slower_speed(const Speed& a, const Speed& b) {
  return a.gb_s <= b.gb_s ? a : b;
}

/// Leaves out switches with one child: their link becomes part of the child's.
void drop_single_switches(MachineTree& tree) {
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    for (std::size_t j = 0; j < tree.nodes[i].children.size(); ++j) {
      int child = tree.nodes[i].children[j];
      while (tree.at(child).kind == TreeKind::pcie_switch && tree.at(child).children.size() == 1) {
        TreeNode& left_out = tree.nodes[static_cast<std::size_t>(child)];
        child = left_out.children.front();
        left_out.children.clear();
        TreeNode& kept = tree.nodes[static_cast<std::size_t>(child)];
        kept.up = slower_speed(left_out.up, kept.up);
      }
      tree.nodes[i].children[j] = child;
    }
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    for (const int child : tree.nodes[i].children) {
      tree.nodes[static_cast<std::size_t>(child)].parent = static_cast<int>(i);
    }
  }
}

}  // namespace

int MachineTree::processor_of(int node) const {
  while (at(node).parent >= 0) node = at(node).parent;
  return node;
}

MachineTree machine_tree(const Topology& machine) {
  MachineTree tree = MachineTreeMaker(machine).make();
  drop_single_switches(tree);
  return tree;
}

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/show/picture/canvas.h"
#include "topology/show/picture/row_links.h"

namespace ringmaster::topology {

namespace {

constexpr double kGpuWidth = 66, kGap = 10, kFramePadding = 12, kFrameGap = 18, kFrameMin = 172;
constexpr std::size_t kNicsOfCell = 2;

class RowMaker {
 public:
  RowMaker(const Topology& machine, const Wires& wires, bool linked)
      : machine_(machine), wires_(wires), linked_(linked), tree_(machine_tree(machine)) {
    rows_.of_gpu.assign(machine.gpus.size(), -1);
  }

  Rows make() {
    std::vector<int> processors;
    for (const int processor : tree_.processors) {
      if (!processors.empty()) at_ += kFrameGap;
      processors.push_back(add_processor(processor));
    }
    rows_.width = at_;
    for (const int processor : processors) {
      rows_.nodes[static_cast<std::size_t>(processor)].level = rows_.levels;
    }
    add_sockets(processors);
    if (linked_) add_row_links(machine_, wires_, rows_);
    return std::move(rows_);
  }

 private:
  RowNode& node(int at) { return rows_.nodes[static_cast<std::size_t>(at)]; }

  int add(RowNode made) {
    rows_.nodes.push_back(std::move(made));
    return static_cast<int>(rows_.nodes.size()) - 1;
  }

  /// The lowest GPU below it or linked to one below it: what is linked stands together.
  std::size_t rank_of(int tree_node) const {
    const TreeNode& own = tree_.at(tree_node);
    std::size_t rank = machine_.gpus.size();
    if (own.kind == TreeKind::gpu) {
      rank = own.device;
      for (std::size_t other = 0; other < own.device && linked_; ++other) {
        if (direct_link(wires_, own.device, other) != nullptr) rank = std::min(rank, other);
      }
    }
    for (const int child : own.children) rank = std::min(rank, rank_of(child));
    return rank;
  }

  std::vector<int> ordered_children(int tree_node) const {
    std::vector<std::pair<std::size_t, int>> ranked;
    for (const int child : tree_.at(tree_node).children) {
      if (tree_.at(child).kind != TreeKind::nic) ranked.emplace_back(rank_of(child), child);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<int> children;
    for (const auto& [rank, child] : ranked) children.push_back(child);
    return children;
  }

  void place(int made, double left, double right) {
    node(made).left = left;
    node(made).right = right;
    node(made).x = (left + right) / 2;
  }

  /// The link down leaves room for a label beside it, the whole name where that fits.
  void shift_link(int bar) {
    constexpr double kLinkRoom = 14;
    RowNode& own = node(bar);
    const double whole = own.left + label_width(own.name, 11, false) + 2 * kBarLabelInset;
    const double least = own.left + kBarLabelRoom;
    const double label = whole + 2 * kLinkRoom < own.right ? std::max(whole, least) : least;
    own.x = std::min(std::max(own.x, label + kLinkRoom), own.right - kLinkRoom);
  }

  int add_leaf(RowNode leaf, double width) {
    const int made = add(std::move(leaf));
    place(made, at_, at_ + width);
    at_ += width;
    return made;
  }

  double nic_width(const Nic& nic) const {
    constexpr double kWidest = 104, kPadding = 10;
    return std::min(kWidest, kPadding + label_width(nic.name, 10, true));
  }

  void add_nics(int tree_node, int bar) {
    std::vector<int> nics;
    for (const int child : tree_.at(tree_node).children) {
      if (tree_.at(child).kind == TreeKind::nic) nics.push_back(child);
    }
    for (std::size_t i = 0; i < nics.size(); i += kNicsOfCell) {
      RowNode cell{.kind = RowKind::nics, .below = bar};
      double width = kGpuWidth;
      for (std::size_t j = i; j < std::min(i + kNicsOfCell, nics.size()); ++j) {
        const TreeNode& own = tree_.at(nics[j]);
        cell.devices.push_back(own.device);
        cell.down.gb_s = std::max(cell.down.gb_s, own.up.gb_s);
        cell.down.assumed = cell.down.assumed || own.up.assumed;
        width = std::max(width, nic_width(machine_.nics[own.device]));
      }
      if (!node(bar).children.empty()) at_ += kGap;
      const int made = add_leaf(std::move(cell), width);
      node(bar).children.push_back(made);
    }
  }

  /// Fills a bar from the left on, and says how many levels it has below the row.
  void add_children(int tree_node, int bar) {
    const double left = at_;
    int level = 0;
    for (const int child : ordered_children(tree_node)) {
      const TreeNode& own = tree_.at(child);
      if (!node(bar).children.empty()) at_ += kGap;
      int made = -1;
      if (own.kind == TreeKind::gpu) {
        made = add_leaf({RowKind::gpu, own.name, bar, -1, own.up, {}, {own.device}}, kGpuWidth);
        rows_.of_gpu[own.device] = made;
      } else {
        made = add({RowKind::pcie_switch, own.name, bar, -1, own.up});
        add_children(child, made);
      }
      level = std::max(level, node(made).level);
      node(bar).children.push_back(made);
    }
    add_nics(tree_node, bar);
    place(bar, left, at_);
    shift_link(bar);
    node(bar).level = level + 1;
    rows_.levels = std::max(rows_.levels, level + 1);
  }

  int add_processor(int tree_node) {
    const int made = add({RowKind::processor, tree_.at(tree_node).name});
    const std::size_t first = rows_.nodes.size();
    const double left = at_;
    at_ += kFramePadding;
    add_children(tree_node, made);
    at_ += kFramePadding;
    // Its name wants room, also above a single GPU.
    const double lacking = kFrameMin - (at_ - left);
    if (lacking > 0) {
      for (std::size_t i = first; i < rows_.nodes.size(); ++i) {
        RowNode& below = rows_.nodes[i];
        below.left += lacking / 2;
        below.right += lacking / 2;
        below.x += lacking / 2;
      }
      at_ += lacking;
    }
    place(made, left + kFramePadding, at_ - kFramePadding);
    shift_link(made);
    return made;
  }

  /// What joins the processors, where there are several with a name or with GPUs.
  void add_sockets(const std::vector<int>& processors) {
    std::vector<int> joined;
    for (const int processor : processors) {
      const auto& own = node(processor);
      const bool has_gpus = std::any_of(rows_.of_gpu.begin(), rows_.of_gpu.end(), [&](int gpu) {
        return node(gpu).left >= own.left && node(gpu).right <= own.right;
      });
      if (has_gpus || own.name != "NUMA node unknown") joined.push_back(processor);
    }
    if (joined.size() < 2) return;
    const Speed speed = socket_speed(usual_gt_s(machine_));
    const int bar = add({.kind = RowKind::sockets, .name = "links between NUMA nodes"});
    for (const int processor : joined) {
      node(processor).below = bar;
      node(processor).down = speed;
    }
    node(bar).children = joined;
    node(bar).level = rows_.levels + 1;
    place(bar, node(joined.front()).left, node(joined.back()).right);
  }

  const Topology& machine_;
  const Wires& wires_;
  const bool linked_;
  const MachineTree tree_;
  Rows rows_;
  double at_ = 0;
};

}  // namespace

Rows place_rows(const Topology& machine, const Wires& wires, bool linked) {
  return RowMaker(machine, wires, linked).make();
}

}  // namespace ringmaster::topology

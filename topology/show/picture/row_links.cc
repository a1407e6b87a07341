// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/row_links.h"

#include <algorithm>

namespace ringmaster::topology {

namespace {

/// One bar for all switches: which GPU is at which of them no source tells.
void add_nvswitch(const Wires& wires, Rows& rows) {
  RowNode bar{.kind = RowKind::nvswitch, .name = "NVSwitch", .left = rows.width};
  const int at = static_cast<int>(rows.nodes.size());
  for (std::size_t i = 0; i < wires.gpus(); ++i) {
    for (std::size_t j = 0; j < wires.gpus(); ++j) {
      const Route& route = wires.routes[i][j];
      if (route.size() != 2) continue;
      const Wire& wire = wires.wires[static_cast<std::size_t>(route[0].wire)];
      if (!wire.link) continue;
      RowNode& gpu = rows.nodes[static_cast<std::size_t>(rows.of_gpu[i])];
      gpu.above = at;
      gpu.up = {wire.gb_s, wire.assumed};
      bar.children.push_back(rows.of_gpu[i]);
      bar.left = std::min(bar.left, gpu.left);
      bar.right = std::max(bar.right, gpu.right);
      break;
    }
  }
  bar.x = (bar.left + bar.right) / 2;
  if (!bar.children.empty()) rows.nodes.push_back(std::move(bar));
}

/// Bridges that would cross lie above each other.
int free_level(const Rows& rows, double left, double right) {
  for (int level = 1;; ++level) {
    const bool taken = std::any_of(rows.nodes.begin(), rows.nodes.end(), [&](const RowNode& node) {
      return node.kind == RowKind::bridge && node.level == level && node.left < right &&
             left < node.right;
    });
    if (!taken) return level;
  }
}

}  // namespace

const Wire* direct_link(const Wires& wires, std::size_t a, std::size_t b) {
  const Route& route = wires.routes[a][b];
  if (route.size() != 1) return nullptr;
  const Wire& wire = wires.wires[static_cast<std::size_t>(route[0].wire)];
  return wire.link ? &wire : nullptr;
}

std::vector<LinkedPair> linked_pairs(const Wires& wires) {
  std::vector<LinkedPair> pairs;
  for (std::size_t i = 0; i < wires.gpus(); ++i) {
    for (std::size_t j = i + 1; j < wires.gpus(); ++j) {
      if (direct_link(wires, i, j) != nullptr) pairs.push_back({i, j, wires.routes[i][j][0].wire});
    }
  }
  return pairs;
}

void add_row_links(const Topology& machine, const Wires& wires, Rows& rows) {
  if (machine.fabric == Fabric::switched) return add_nvswitch(wires, rows);
  for (const LinkedPair& pair : linked_pairs(wires)) {
    const Wire& wire = wires.wires[static_cast<std::size_t>(pair.wire)];
    const int at = static_cast<int>(rows.nodes.size());
    RowNode bridge{.kind = RowKind::bridge, .name = wire.name.substr(0, wire.name.find(" of "))};
    bridge.children = {rows.of_gpu[pair.a], rows.of_gpu[pair.b]};
    for (const int gpu : bridge.children) {
      RowNode& end = rows.nodes[static_cast<std::size_t>(gpu)];
      end.above = at;
      end.up = {wire.gb_s, wire.assumed};
    }
    const double a = rows.at(bridge.children[0]).x, b = rows.at(bridge.children[1]).x;
    bridge.left = std::min(a, b);
    bridge.right = std::max(a, b);
    bridge.x = (a + b) / 2;
    bridge.level = free_level(rows, bridge.left, bridge.right);
    rows.bridges = std::max(rows.bridges, bridge.level);
    rows.nodes.push_back(std::move(bridge));
  }
}

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/wires.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "topology/rings/pcie_forest.h"
#include "topology/rings/speeds.h"

namespace ringmaster::topology {

namespace {

class WireFinder {
 public:
  explicit WireFinder(const Topology& machine)
      : machine_(machine),
        forest_(find_forest(machine)),
        switch_wires_(machine.gpus.size(), -1),
        pcie_wires_(forest_.places.size(), -1) {}

  Wires find() {
    const std::size_t count = machine_.gpus.size();
    found_.routes.assign(count, std::vector<Route>(count));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        found_.routes[i][j] = route(i, j);
        found_.routes[j][i] = turned(found_.routes[i][j]);
      }
    }
    return std::move(found_);
  }

 private:
  static Route turned(Route route) {
    std::reverse(route.begin(), route.end());
    for (Crossing& crossing : route) crossing.up = !crossing.up;
    return route;
  }

  int add(Wire wire) {
    found_.wires.push_back(std::move(wire));
    return static_cast<int>(found_.wires.size()) - 1;
  }

  Route route(std::size_t a, std::size_t b) {
    const int links = link_count(machine_, machine_.gpus[a].index, machine_.gpus[b].index);
    // A row that a text has lost: what is behind the switches reaches all that is.
    const bool lost = machine_.fabric == Fabric::switched && !machine_.paths[a][b] &&
                      links_of(machine_, machine_.gpus[a]) > 0 &&
                      links_of(machine_, machine_.gpus[b]) > 0;
    if (links == 0 && !lost) return pcie_route(a, b);
    if (machine_.fabric == Fabric::switched)
      return {{switch_wire(a), true}, {switch_wire(b), false}};
    const Speed one = link_speed(machine_, machine_.gpus[a], links_of(machine_, machine_.gpus[a]));
    return {{add({fmt::format("{} of GPU{} and GPU{}", count_text(a, links), machine_.gpus[a].index,
                              machine_.gpus[b].index),
                  links * one.gb_s, links, true, one.assumed}),
             true}};
  }

  std::string count_text(std::size_t gpu, int links) const {
    const char* name = is_of_amd(machine_, machine_.gpus[gpu]) ? "XGMI link" : "NVLink";
    return fmt::format("{} {}{}", links, name, links == 1 ? "" : "s");
  }

  int switch_wire(std::size_t gpu) {
    int& wire = switch_wires_[gpu];
    if (wire < 0) {
      const int links = links_of(machine_, machine_.gpus[gpu]);
      const Speed one = link_speed(machine_, machine_.gpus[gpu], links);
      wire =
          add({fmt::format("{} NVLinks of GPU{} to the switches", links, machine_.gpus[gpu].index),
               links * one.gb_s, 1, true, one.assumed});
    }
    return wire;
  }

  std::vector<int> ancestry(std::size_t gpu) const {
    std::vector<int> line;
    for (int at = forest_.of_gpu[gpu]; at >= 0;
         at = forest_.places[static_cast<std::size_t>(at)].parent) {
      line.push_back(at);
    }
    return line;
  }

  int pcie_wire(int place) {
    int& wire = pcie_wires_[static_cast<std::size_t>(place)];
    if (wire < 0) {
      const PciePlace& at = forest_.places[static_cast<std::size_t>(place)];
      wire = add({"PCIe link of " + at.name, at.up.gb_s, 1, false, at.up.assumed});
    }
    return wire;
  }

  int socket_wire(int from, int to) {
    const auto [at, is_new] = socket_wires_.try_emplace(std::minmax(from, to), -1);
    if (is_new) {
      const Speed speed = socket_speed(usual_gt_s(machine_));
      const auto name = [&](int processor) {
        return forest_.processor_names[static_cast<std::size_t>(processor)];
      };
      at->second = add({fmt::format("link between {} and {}", name(std::min(from, to)),
                                    name(std::max(from, to))),
                        speed.gb_s, 1, false, speed.assumed});
    }
    return at->second;
  }

  /// Up to the bridge above both, or to the processors, and down again.
  Route pcie_route(std::size_t a, std::size_t b) {
    std::vector<int> up = ancestry(a), down = ancestry(b);
    bool meet = false;
    while (!up.empty() && !down.empty() && up.back() == down.back()) {
      meet = true;
      up.pop_back();
      down.pop_back();
    }
    Route route;
    for (const int place : up) route.push_back({pcie_wire(place), true});
    const int from = forest_.processor[a], to = forest_.processor[b];
    if (!meet && from != to) route.push_back({socket_wire(from, to), from < to});
    std::reverse(down.begin(), down.end());
    for (const int place : down) route.push_back({pcie_wire(place), false});
    return route;
  }

  const Topology& machine_;
  const PcieForest forest_;
  Wires found_;
  std::vector<int> switch_wires_, pcie_wires_;  // of each GPU, of each place; -1: none yet
  std::map<std::pair<int, int>, int> socket_wires_;
};

}  // namespace

double Wires::gb_s(std::size_t from, std::size_t to) const {
  double slowest = 0;
  for (const Crossing& crossing : routes[from][to]) {
    const double own = wires[static_cast<std::size_t>(crossing.wire)].gb_s;
    slowest = slowest == 0 ? own : std::min(slowest, own);
  }
  return slowest;
}

Wires find_wires(const Topology& machine) {
  return WireFinder(machine).find();
}

Wires select_gpus(const Wires& wires, const std::vector<int>& gpus) {
  Wires selected{wires.wires, {}};
  for (const int from : gpus) {
    std::vector<Route>& row = selected.routes.emplace_back();
    for (const int to : gpus) {
      row.push_back(wires.routes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)]);
    }
  }
  return selected;
}

}  // namespace ringmaster::topology

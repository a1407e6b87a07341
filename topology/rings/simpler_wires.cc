// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/simpler_wires.h"

#include <algorithm>
#include <map>

namespace ringmaster::topology {

SimplerWires limiting_wires(const Wires& wires) {
  std::vector<std::vector<std::size_t>> ways(wires.wires.size());
  for (std::size_t i = 0; i < wires.gpus(); ++i) {
    for (std::size_t j = i + 1; j < wires.gpus(); ++j) {
      for (const Crossing& crossing : wires.routes[i][j]) {
        ways[static_cast<std::size_t>(crossing.wire)].push_back(i * wires.gpus() + j);
      }
    }
  }
  std::map<std::vector<std::size_t>, std::size_t> slowest;
  for (std::size_t wire = 0; wire < ways.size(); ++wire) {
    if (ways[wire].empty()) continue;
    const auto [at, is_new] = slowest.try_emplace(ways[wire], wire);
    if (wires.wires[wire].gb_s < wires.wires[at->second].gb_s) at->second = wire;
  }
  SimplerWires simpler;
  std::vector<int> names(wires.wires.size(), -1);
  for (std::size_t wire = 0; wire < ways.size(); ++wire) {
    if (ways[wire].empty() || slowest[ways[wire]] != wire) continue;
    names[wire] = static_cast<int>(simpler.places.size());
    simpler.places.push_back(static_cast<int>(wire));
    simpler.wires.wires.push_back(wires.wires[wire]);
  }
  simpler.wires.routes = wires.routes;
  for (auto& row : simpler.wires.routes) {
    for (Route& route : row) {
      for (Crossing& crossing : route)
        crossing.wire = names[static_cast<std::size_t>(crossing.wire)];
      route.erase(std::remove_if(route.begin(), route.end(),
                                 [](const Crossing& crossing) { return crossing.wire < 0; }),
                  route.end());
    }
  }
  return simpler;
}

Wires close_unlinked(const Wires& wires) {
  Wires closed = wires;
  for (std::size_t i = 0; i < wires.gpus(); ++i) {
    for (std::size_t j = 0; j < wires.gpus(); ++j) {
      if (i != j && !is_linked(wires, wires.routes[i][j])) closed.routes[i][j].clear();
    }
  }
  return closed;
}

bool is_linked(const Wires& wires, const Route& route) {
  return std::all_of(route.begin(), route.end(), [&](const Crossing& crossing) {
    return wires.wires[static_cast<std::size_t>(crossing.wire)].link;
  });
}

}  // namespace ringmaster::topology

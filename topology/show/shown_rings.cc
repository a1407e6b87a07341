// SPDX-License-Identifier: Apache-2.0
#include "topology/show/shown_rings.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::topology {

std::vector<Ring> shown_rings(const RingSet& set) {
  std::vector<Ring> shown;
  for (const Ring& ring : set.rings) {
    const auto same = std::find_if(shown.begin(), shown.end(), [&](const Ring& other) {
      return other.order == ring.order && other.both_ways == ring.both_ways;
    });
    if (same == shown.end()) {
      shown.push_back(ring);
    } else {
      same->gb_s += ring.gb_s;
    }
  }
  // Rates that differ by less than is printed are the same.
  std::stable_sort(shown.begin(), shown.end(), [](const Ring& a, const Ring& b) {
    return static_cast<long>(a.gb_s * 10 + 0.5) > static_cast<long>(b.gb_s * 10 + 0.5);
  });
  return shown;
}

std::string ring_order_text(const Topology& machine, const Tour& order) {
  std::string text;
  for (const int place : order) {
    if (!text.empty()) text += "-";
    text += std::to_string(machine.gpus[static_cast<std::size_t>(place)].index);
  }
  return text;
}

std::string ring_speed_text(const Ring& ring) {
  return fmt::format("{:.1f} GB/s{}", ring.gb_s, ring.both_ways ? " each way" : "");
}

std::string ring_limit_text(const Wires& wires, const Ring& ring) {
  const Wire& limit = wires.wires[static_cast<std::size_t>(ring.limit)];
  return fmt::format("{} ({:.1f} GB/s{})", limit.name, limit.gb_s, limit.assumed ? "?" : "");
}

double ring_rest_gb_s(const std::vector<Ring>& rings, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < rings.size(); ++i) {
    sum += rings[i].both_ways ? 2 * rings[i].gb_s : rings[i].gb_s;
  }
  return sum;
}

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/rings.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/show/show.h"
#include "topology/show/shown_rings.h"
#include "topology/show/style.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kRingLines = 8;  // more are counted

/// An order, its rate, and what limits it, in columns.
std::string ring_lines(const Topology& machine, const Wires& wires, const std::vector<Ring>& rings,
                       bool colours) {
  std::size_t order_width = 5;
  for (const Ring& ring : rings) {
    order_width = std::max(order_width, ring_order_text(machine, ring.order).size());
  }
  const bool both_ways =
      std::any_of(rings.begin(), rings.end(), [](const Ring& ring) { return ring.both_ways; });
  const std::string head = fmt::format("  {:<{}}  {:>6}{}  limited by", "order", order_width,
                                       "GB/s", both_ways ? "         " : "");
  std::string text = inked(head, Ink::dim, colours) + "\n";
  for (const Ring& ring : rings) {
    const std::string order = ring_order_text(machine, ring.order);
    text += fmt::format("  {}{}  {:>6.1f}{}  {}\n", inked(order, Ink::green, colours),
                        std::string(order_width - order.size(), ' '), ring.gb_s,
                        ring.both_ways ? " each way"
                        : both_ways    ? "         "
                                       : "",
                        ring_limit_text(wires, ring));
  }
  return text;
}

}  // namespace

std::string rings_text(const Topology& machine, bool colours) {
  const Wires wires = find_wires(machine);
  const RingSet set = find_rings(wires);
  if (set.rings.empty()) return "";
  std::vector<Ring> rings = shown_rings(set);
  const std::string most = fmt::format("{:.1f} GB/s", set.gb_s);
  std::string text =
      fmt::format("rings for an all-reduce over {} GPUs: {} (what nccl-tests calls busbw)\n",
                  machine.gpus.size(), inked(most, Ink::bold, colours));
  const std::size_t all = rings.size();
  const double rest = ring_rest_gb_s(rings, std::min(all, kRingLines));
  rings.resize(std::min(all, kRingLines));
  const bool assumed = std::any_of(rings.begin(), rings.end(), [&](const Ring& ring) {
    return wires.wires[static_cast<std::size_t>(ring.limit)].assumed;
  });
  text += ring_lines(machine, wires, rings, colours);
  if (all > rings.size()) {
    text += fmt::format("  and {} more, {:.1f} GB/s together\n", all - rings.size(), rest);
  }
  if (assumed) {
    text += inked("  ?: not told, taken from what such machines have\n", Ink::dim, colours);
  }
  return text;
}

}  // namespace ringmaster::topology

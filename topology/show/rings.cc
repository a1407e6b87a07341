// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/rings.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/show/show.h"
#include "topology/show/style.h"

namespace ringmaster::topology {

namespace {

std::string order_text(const Topology& machine, const Tour& order) {
  std::string text;
  for (const int place : order) {
    if (!text.empty()) text += "-";
    text += std::to_string(machine.gpus[static_cast<std::size_t>(place)].index);
  }
  return text;
}

}  // namespace

std::string rings_text(const Topology& machine, bool colours) {
  const Wires wires = find_wires(machine);
  const RingSet set = find_rings(wires);
  if (set.rings.empty()) return "";
  std::string text = fmt::format("{} of all-reduce over {} GPUs ({})\n",
                                 inked(fmt::format("{:.1f} GB/s", set.gb_s), Ink::bold, colours),
                                 machine.gpus.size(), "what nccl-tests calls busbw");
  bool assumed = false;
  for (const Ring& ring : set.rings) {
    const Wire& limit = wires.wires[static_cast<std::size_t>(ring.limit)];
    assumed = assumed || limit.assumed;
    text += fmt::format("  ring {}  {:.1f} GB/s{}, limited by {} ({:.1f} GB/s{})\n",
                        inked(order_text(machine, ring.order), Ink::green, colours), ring.gb_s,
                        ring.both_ways ? " each way" : "", limit.name, limit.gb_s,
                        limit.assumed ? "?" : "");
  }
  if (assumed) {
    text += inked("  ?: not told, taken from what such machines have\n", Ink::dim, colours);
  }
  return text;
}

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
//
// Rings over several machines that are alike.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "topology/rings/joined_rings.h"
#include "topology/show/show.h"
#include "topology/show/shown_rings.h"
#include "topology/show/style.h"

namespace ringmaster::topology {

namespace {

JoinedRings join_alike(const Topology& machine, int hosts) {
  RingHost host{"a host", &machine, std::vector<int>(machine.gpus.size())};
  std::iota(host.gpus.begin(), host.gpus.end(), 0);
  return join_rings(std::vector<RingHost>(static_cast<std::size_t>(hosts), host));
}

std::string adapter_name(const Topology& machine, int nic) {
  return nic < 0 ? "?" : machine.nics[static_cast<std::size_t>(nic)].name;
}

}  // namespace

std::string joined_text(const Topology& machine, int hosts, bool colours) {
  if (machine.gpus.empty()) return "no GPU, no ring\n";
  const JoinedRings joined = join_alike(machine, hosts);
  std::string text = fmt::format(
      "rings for an all-reduce over {} hosts of {} GPUs: {} (what nccl-tests calls busbw), limited "
      "by {}\n",
      hosts, machine.gpus.size(),
      inked(fmt::format("{:.1f} GB/s", joined.gb_s), Ink::bold, colours), joined.limit);
  std::size_t width = 7;
  for (const JoinedRing& ring : joined.rings) {
    width = std::max(width, adapter_name(machine, ring.nics.front()).size());
  }
  text += fmt::format("  {:<{}}  GB/s  order on each host\n", "adapter", width);
  for (const JoinedRing& ring : joined.rings) {
    text += fmt::format("  {:<{}}  {:>4.1f}  {}\n", adapter_name(machine, ring.nics.front()), width,
                        ring.gb_s, ring_order_text(machine, ring.orders.front()));
  }
  if (joined.assumed) text += "  the speed of an adapter is not told: 100 Gbit/s are taken\n";
  return text;
}

std::string joined_json(const Topology& machine, int hosts) {
  nlohmann::ordered_json json = {{"hosts", hosts}, {"rings", nlohmann::json::array()}};
  if (!machine.gpus.empty()) {
    const JoinedRings joined = join_alike(machine, hosts);
    for (const JoinedRing& ring : joined.rings) {
      nlohmann::ordered_json told = {{"order", nlohmann::json::array()}};
      for (const int place : ring.orders.front()) {
        told["order"].push_back(machine.gpus[static_cast<std::size_t>(place)].index);
      }
      const int nic = ring.nics.front();
      told["nic"] = nic < 0 ? nlohmann::json() : nlohmann::json(adapter_name(machine, nic));
      told["gb_s"] = ring.gb_s;
      json["rings"].push_back(std::move(told));
    }
    json["rings_gb_s"] = joined.gb_s;
    json["limit"] = joined.limit;
    json["assumed"] = joined.assumed;
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ringmaster::topology

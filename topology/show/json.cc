// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "topology/numbers.h"
#include "topology/rings/rings.h"
#include "topology/show/show.h"

namespace ringmaster::topology {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json numa_json(const std::optional<int>& numa) {
  return numa ? Json::array({*numa}) : Json(nullptr);
}

Json path_json(const MaybePath& path) {
  return path ? Json(path_text(*path)) : Json(nullptr);
}

Json row_json(const std::vector<MaybePath>& row) {
  Json cells = Json::array();
  for (const MaybePath& path : row) cells.push_back(path_json(path));
  return cells;
}

Json pci_link_json(const PciLink& link) {
  return {{"gt_s", json_or_null(link.gt_s)},
          {"gt_s_max", json_or_null(link.gt_s_max)},
          {"width", json_or_null(link.width)},
          {"width_max", json_or_null(link.width_max)}};
}

Json health_json(const Health& health) {
  Json ports = Json::array();
  for (const NvlinkPort& port : health.nvlinks) {
    ports.push_back({{"port", port.port},
                     {"up", port.state == LinkState::up},
                     {"version", json_or_null(port.version)},
                     {"remote_bus_id", json_or_null(port.remote_bus_id)},
                     {"to_switch", port.to_switch}});
  }
  return {{"lost", health.lost},
          {"pcie", pci_link_json(health.pcie)},
          {"nvlinks", std::move(ports)},
          {"temperature_c", json_or_null(health.temperature_c)},
          {"busy_percent", json_or_null(health.busy_percent)},
          {"memory_bytes", json_or_null(health.memory_bytes)},
          {"memory_used_bytes", json_or_null(health.memory_used_bytes)},
          {"ecc_uncorrected", json_or_null(health.ecc_uncorrected)}};
}

Json gpu_json(const Gpu& gpu) {
  Json mig = Json::array();
  for (const MigDevice& device : gpu.mig) {
    mig.push_back({{"index", device.index}, {"profile", device.profile}, {"uuid", device.uuid}});
  }
  Json json = {{"index", gpu.index},
               {"bus_id", json_or_null(gpu.bus_id)},
               {"numa", numa_json(gpu.numa)},
               {"mig", std::move(mig)},
               {"name", gpu.name},
               {"uuid", gpu.uuid},
               {"cpus", gpu.cpus ? Json(cpu_list_text(*gpu.cpus)) : Json(nullptr)},
               {"memory_node", json_or_null(gpu.memory_node)}};
  if (gpu.health != Health{}) json["health"] = health_json(gpu.health);
  return json;
}

/// `near` has what is nearer than another NUMA node; `paths` has all, and null for unknown.
Json nic_json(const Topology& machine, const Nic& nic) {
  Json near = Json::array();
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const MaybePath& path = nic.paths[i];
    if (!path || path->kind == PathClass::sys) continue;
    near.push_back({{"gpu", machine.gpus[i].index}, {"path", path_text(*path)}});
  }
  return {{"name", nic.name},
          {"near", std::move(near)},
          {"paths", row_json(nic.paths)},
          {"bus_id", json_or_null(nic.bus_id)},
          {"rdma", nic.rdma},
          {"numa", numa_json(nic.numa)},
          {"speed_mbit_s", json_or_null(nic.speed_mbit_s)}};
}

Json pci_json(const PciDevice& device) {
  return {{"bus_id", device.bus_id},
          {"parent", device.parent},
          {"root", json_or_null(device.root)},
          {"numa", numa_json(device.numa)},
          {"class", json_or_null(device.class_code)},
          {"vendor", json_or_null(device.vendor)},
          {"device", json_or_null(device.device)},
          {"subsystem_vendor", json_or_null(device.subsystem_vendor)},
          {"subsystem_device", json_or_null(device.subsystem_device)},
          {"link", pci_link_json(device.link)}};
}

template <class List, class Make>
Json list_json(const List& list, Make make) {
  Json items = Json::array();
  for (const auto& item : list) items.push_back(make(item));
  return items;
}

/// GPUs by their index, as everywhere in the object; one way around.
Json ring_json(const Topology& machine, const Wires& wires, const Ring& ring) {
  Json order = Json::array();
  for (const int place : ring.order) {
    order.push_back(machine.gpus[static_cast<std::size_t>(place)].index);
  }
  const Wire& limit = wires.wires[static_cast<std::size_t>(ring.limit)];
  return {{"order", std::move(order)},
          {"gb_s", ring.gb_s},
          {"limit", limit.name},
          {"limit_gb_s", limit.gb_s},
          {"assumed", limit.assumed}};
}

Json machine_json(const Topology& machine) {
  Json json;
  json["gpus"] = list_json(machine.gpus, gpu_json);
  json["links"] = list_json(machine.links, [](const Link& link) {
    return Json{{"a", link.a}, {"b", link.b}, {"count", link.count}};
  });
  json["fabric"] = fabric_name(machine.fabric);
  json["paths"] = list_json(machine.paths, row_json);
  json["nics"] = list_json(machine.nics, [&](const Nic& nic) { return nic_json(machine, nic); });
  json["numa_nodes"] = list_json(machine.nodes, [](const NumaNode& node) {
    return Json{{"id", node.id}, {"cpus", cpu_list_text(node.cpus)}};
  });
  json["pci"] = list_json(machine.pci, pci_json);
  json["unknown_devices"] = list_json(machine.unknown_devices, [](const UnknownDevice& device) {
    return Json{{"bus_id", device.bus_id}, {"numa", numa_json(device.numa)}, {"what", device.what}};
  });
  json["missing"] = machine.missing;
  json["warnings"] = machine.warnings;
  return json;
}

/// Names come from files: bytes that are no UTF-8 are replaced, not refused.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string topology_json(const Topology& machine) {
  return dumped(machine_json(machine));
}

std::string topology_json_with_rings(const Topology& machine) {
  Json json = machine_json(machine);
  const Wires wires = find_wires(machine);
  const RingSet set = find_rings(wires);
  Json rings = Json::array();
  for (Ring ring : set.rings) {
    rings.push_back(ring_json(machine, wires, ring));
    if (!ring.both_ways) continue;
    std::reverse(ring.order.begin() + 1, ring.order.end());
    rings.push_back(ring_json(machine, wires, ring));
  }
  json["rings"] = std::move(rings);
  json["rings_gb_s"] = set.gb_s;
  return dumped(json);
}

}  // namespace ringmaster::topology

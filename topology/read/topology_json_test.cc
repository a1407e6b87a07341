// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topology/read/formats.h"
#include "topology/read/test_machine.h"
#include "topology/show/picture/test_pictures.h"
#include "topology/show/show.h"

namespace ringmaster::topology {
namespace {

/// A machine in which every field holds something.
Topology rich_machine() {
  Topology machine;
  Gpu gpu{.index = 1, .bus_id = "0000:3b:00.0", .name = "H \"1\"", .uuid = "GPU-1", .numa = 0};
  gpu.cpus = {0, 1, 4};
  gpu.memory_node = 9;
  gpu.mig = {{2, "1g.10gb", "MIG-1"}};
  gpu.health = {.lost = "fallen off the bus",
                .pcie = {8, 16, 4, 16},
                .nvlinks = {{3, LinkState::up, 4, "0000:d0:00.0", true}},
                .temperature_c = 40,
                .busy_percent = 7,
                .memory_bytes = 85899345920,
                .memory_used_bytes = 5,
                .ecc_uncorrected = 1};
  machine.gpus = {gpu, {.index = 4}};
  machine.paths = {{Path{PathClass::self, 0}, Path{PathClass::nvlink, 12}},
                   {Path{PathClass::nvlink, 12}, Path{PathClass::self, 0}}};
  machine.links = {{1, 4, 12}};
  machine.fabric = Fabric::switched;
  machine.nics = {{"eth0", "10000:00:04.0", "mlx5_0", 1, 100000, {Path{PathClass::pxb, 0}, {}}}};
  machine.nodes = {{0, {0, 1}}, {255, {}}};
  machine.pci = {{"0000:3a:00.0", -1, 0, 1, 0x060400, 1, 2, 3, 4, {8, 16, 8, 16}},
                 {.bus_id = "0000:3b:00.0", .parent = 0}};
  machine.unknown_devices = {{"0000:01:00.0", 0, "processing accelerator"}};
  machine.missing = {"row GPU9"};
  machine.warnings = {"odd"};
  return machine;
}

TEST(TopologyJson, WhatIsWrittenIsReadAgain) {
  const Topology machine = rich_machine();
  EXPECT_EQ(machine_of(read_topology("auto", topology_json(machine))), machine);
  EXPECT_EQ(machine_of(read_topology("json", topology_json(Topology{}))), Topology{});
}

TEST(TopologyJson, RingsAreToldAndNotRead) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Topology machine = RandomMachine(seed).make(8);
    const std::string text = topology_json_with_rings(machine);
    const Topology again = machine_of(read_topology("json", text));
    EXPECT_TRUE(again == machine_of(read_topology("json", topology_json(machine))))
        << "seed " << seed;
    const auto json = nlohmann::json::parse(text);
    double sum = 0;
    for (const auto& ring : json["rings"]) {
      sum += ring["gb_s"].get<double>();
      EXPECT_EQ(ring["order"].size(), machine.gpus.size());
      EXPECT_LE(ring["gb_s"].get<double>(), ring["limit_gb_s"].get<double>() * 1.000001);
      EXPECT_TRUE(ring["assumed"].is_boolean() && ring["limit"].is_string());
    }
    EXPECT_NEAR(sum, json["rings_gb_s"].get<double>(), 1e-6 * sum) << "seed " << seed;
    EXPECT_EQ(json["rings"].empty(), machine.gpus.size() < 2) << "seed " << seed;
  }
  const Topology rich = rich_machine();
  EXPECT_EQ(machine_of(read_topology("json", topology_json_with_rings(rich))), rich);
}

TEST(TopologyJson, HasTheFieldsThatScriptsRelyOn) {
  const auto json = nlohmann::json::parse(topology_json(rich_machine()));
  EXPECT_EQ(json["gpus"][0]["numa"].dump(), "[0]");
  EXPECT_EQ(json["gpus"][1]["numa"].dump(), "null");
  EXPECT_EQ(json["gpus"][1]["bus_id"].dump(), "null");
  EXPECT_EQ(json["links"].dump(), R"([{"a":1,"b":4,"count":12}])");
  EXPECT_EQ(json["fabric"], "switch");
  EXPECT_EQ(json["paths"].dump(), R"([["X","NV12"],["NV12","X"]])");
  EXPECT_EQ(json["nics"][0]["near"].dump(), R"([{"gpu":1,"path":"PXB"}])");
  EXPECT_EQ(json["missing"].dump(), R"(["row GPU9"])");
}

TEST(TopologyJson, WrongFieldsAreNamed) {
  const auto refused = [](const char* path, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(topology_json(rich_machine()));
    json[nlohmann::json::json_pointer(path)] = value;
    return refusal_of(read_topology("json", json.dump())).what;
  };
  EXPECT_EQ(refused("/gpus", 3), "topology.gpus: a list of at most 512 is wanted");
  EXPECT_EQ(refused("/gpus/0/name", 1), "topology.gpus[0].name: a text is wanted");
  EXPECT_NE(refused("/gpus/1/index", 0), "") << "numbers ascend";
  EXPECT_NE(refused("/gpus/0/bus_id", "x"), "");
  EXPECT_NE(refused("/paths/0/1", "NV13"), "") << "the same both ways";
  EXPECT_NE(refused("/paths/0/0", nullptr), "");
  EXPECT_NE(refused("/links/0/b", 3), "");
  EXPECT_NE(refused("/fabric", "none"), "");
  EXPECT_NE(refused("/pci/1/parent", 1), "");
  EXPECT_NE(refused("/pci/0/link/gt_s", 0), "");
  EXPECT_NE(refused("/pci/0/link/gt_s_max", 1e300), "");
  EXPECT_NE(refused("/nics/0/paths", nlohmann::json::array()), "");
}

TEST(TopologyJson, WhatIsKnownByANumberOrABusIdStandsOnce) {
  const auto refused = [](auto change) {
    auto json = nlohmann::json::parse(topology_json(rich_machine()));
    change(json);
    return refusal_of(read_topology("json", json.dump())).what;
  };
  using Json = nlohmann::json;
  EXPECT_EQ(refused([](Json& json) { json["gpus"][1]["bus_id"] = json["gpus"][0]["bus_id"]; }),
            "topology.gpus[1].bus_id: one that no other GPU has is wanted");
  EXPECT_EQ(refused([](Json& json) { json["links"].push_back(json["links"][0]); }),
            "topology.links[1].a: a link after the one before is wanted");
  EXPECT_EQ(refused([](Json& json) {
              Json& ports = json["gpus"][0]["health"]["nvlinks"];
              ports.push_back(ports[0]);
            }),
            "topology.gpus[0].health.nvlinks[1].port: a number above the one before is wanted");
}

TEST(TopologyJson, WhatIsNoJsonIsRefusedWithItsLine) {
  EXPECT_EQ(refusal_of(read_topology("auto", "{\n\"gpus\": [\n}\n")).line, 3);
  EXPECT_NE(refusal_of(read_topology("json", "{}")).what, "");
  EXPECT_NE(refusal_of(read_topology("json", std::string(1 << 20, '['))).what, "");
  EXPECT_NE(refusal_of(read_topology("json", "{\"gpus\":[{\"index\":1e999}]}")).what, "");
}

}  // namespace
}  // namespace ringmaster::topology

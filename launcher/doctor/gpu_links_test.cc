// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/doctor/sick_hosts_for_test.h"

namespace ringmaster::launcher::doctor {
namespace {

void take_link(Facts& facts, std::size_t gpu, bool switched) {
  for (auto& other : facts.machine.gpus) {
    for (auto& port : other.health.nvlinks) port.to_switch = switched;
  }
  facts.machine.gpus[gpu].health.nvlinks[5].state = topology::LinkState::down;
}

TEST(LinkChecks, EachFault) {
  expect_all({
      {"nvlink", Level::warning, "GPU1 (0000:20:00.0): NVLink 5 is down (17 of 18 are up)",
       [](Facts& f) { take_link(f, 1, true); }},
      {"nvlink", Level::warning, "GPU1", [](Facts& f) { take_link(f, 1, false); }},
      {"nvlink", Level::note, "NVLink 5 is down",
       [](Facts& f) {
         for (std::size_t i = 0; i < 4; ++i) take_link(f, i, false);
       }},
      {"nvlink", Level::ok, "no NVLink here",
       [](Facts& f) {
         for (auto& gpu : f.machine.gpus) gpu.health.nvlinks.clear();
       }},
      {"pcie", Level::warning, "GPU0 (0000:10:00.0): PCIe runs on 8 of 16 lanes",
       [](Facts& f) { f.machine.gpus[0].health.pcie.width = 8; }},
      {"pcie", Level::note, "GPU0 (0000:10:00.0) at 2.5 of 32 GT/s",
       [](Facts& f) { f.machine.gpus[0].health.pcie.gt_s = 2.5; }},
      {"peer-access", Level::warning, "1 pairs of GPUs do not reach each other's memory, the chip",
       [](Facts& f) {
         for (auto& pair : f.driver.checks->peers) {
           const bool ends = pair.from == sample_bus_id(0) || pair.to == sample_bus_id(0);
           const bool other = pair.from == sample_bus_id(2) || pair.to == sample_bus_id(2);
           if (ends && other) pair.status = 1;
         }
       }},
      {"peer-access", Level::note, "6 pairs",
       [](Facts& f) {
         for (auto& pair : f.driver.checks->peers) pair.status = 2;
       }},
      {"peer-access", Level::unknown, "does not tell",
       [](Facts& f) { f.driver.checks->peers.clear(); }},
      {"rdma", Level::note, "mlx5_1 port 1 is DOWN", [](Facts& f) { f.rdma[1].state = "DOWN"; }},
      {"rdma", Level::warning, "mlx5_0 port 1 is INIT",
       [](Facts& f) { f.rdma[0].state = f.rdma[1].state = "INIT"; }},
      {"gpu-direct", Level::note, "nvidia_peermem is not loaded",
       [](Facts& f) { f.peer_memory_module = false; }},
  });
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

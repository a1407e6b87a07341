// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/doctor/sick_hosts_for_test.h"

namespace ringmaster::launcher::doctor {
namespace {

TEST(HealthChecks, EachFault) {
  expect_all({
      {"gpus", Level::problem, "GPU2 (0000:30:00.0): GPU is lost",
       [](Facts& f) { f.machine.gpus[2].health.lost = "GPU is lost"; }},
      {"gpus", Level::warning, "not known to the driver: GPU2",
       [](Facts& f) { f.machine.gpus[2].health.lost = "not known to NVIDIA's driver"; }},
      {"gpus", Level::note, "not known to the driver: GPU2",
       [](Facts& f) {
         f.machine.gpus[2].health.lost = "not known to NVIDIA's driver";
         f.in_container = true;
       }},
      {"gpus", Level::problem, "Insufficient Permissions",
       [](Facts& f) { f.driver.refused = {"Insufficient Permissions"}; }},
      {"xid", Level::unknown, "/dev/kmsg", [](Facts& f) { f.xids.reset(); }},
      {"xid", Level::problem, "GPU3 (0000:40:00.0): Xid 79, the GPU has fallen off the bus",
       [](Facts& f) {
         f.xids = {{79, "0000:40:00.0", "GPU has fallen off the bus."}};
       }},
      {"xid", Level::note, "(2 times)",
       [](Facts& f) {
         f.xids = {{31, "0000:40:00.0", ""}, {31, "0000:40:00.0", ""}};
       }},
      {"xid", Level::note, "0000:77:00.0: Xid 4242",
       [](Facts& f) {
         f.xids = {{4242, "0000:77:00.0", ""}};
       }},
      {"ecc", Level::warning, "GPU0 (0000:10:00.0): 3 uncorrected",
       [](Facts& f) { f.machine.gpus[0].health.ecc_uncorrected = 3; }},
      {"gpu-repair", Level::problem, "could not be replaced",
       [](Facts& f) { f.driver.checks->gpus[0].remap_failed = true; }},
      {"gpu-repair", Level::warning, "next reset",
       [](Facts& f) { f.driver.checks->gpus[0].repair_pending = true; }},
      {"gpu-clocks", Level::warning, "heat",
       [](Facts& f) { f.driver.checks->gpus[0].throttle = 0x48; }},
      {"gpu-clocks", Level::warning, "power supply",
       [](Facts& f) { f.driver.checks->gpus[0].throttle = 0x88; }},
      {"gpu-clocks", Level::warning, "heat",
       [](Facts& f) { f.driver.checks->gpus[0].throttle = 0x20; }},
      {"gpu-clocks", Level::warning, "its hardware",
       [](Facts& f) { f.driver.checks->gpus[0].throttle = 0x8; }},
      {"gpu-clocks", Level::unknown, "not told",
       [](Facts& f) {
         for (auto& gpu : f.driver.checks->gpus) gpu.throttle.reset();
       }},
      {"ecc", Level::unknown, "no GPU tells",
       [](Facts& f) {
         for (auto& gpu : f.machine.gpus) gpu.health.ecc_uncorrected.reset();
       }},
      {"gpu-clocks", Level::ok, "", [](Facts& f) { f.driver.checks->gpus[0].throttle = 0x117; }},
      {"gpu-memory", Level::warning, "GPU1 (0000:20:00.0): 40 GiB of 80 GiB",
       [](Facts& f) { f.machine.gpus[1].health.memory_used_bytes = 40 * kGiga; }},
  });
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

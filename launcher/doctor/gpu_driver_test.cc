// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/doctor/sick_hosts_for_test.h"

namespace ringmaster::launcher::doctor {
namespace {

/// Without a driver nothing else is told of its GPUs.
const std::vector<std::string> kUntold = {
    "gpus",        "ecc",  "gpu-repair", "gpu-clocks",  "gpu-memory",    "compute-mode",
    "persistence", "cuda", "nvlink",     "peer-access", "fabric-manager"};

std::vector<std::string> untold_and(std::vector<std::string> more, const std::string& but = "") {
  for (const std::string& check : kUntold) {
    if (check != but) more.push_back(check);
  }
  return more;
}

void without_answer(Facts& facts) {
  facts.driver.checks.reset();
  facts.libraries.cuda_driver.reset();
}

TEST(DriverChecks, EachFault) {
  expect_all({
      {"driver", Level::problem, "does not answer",
       [](Facts& f) {
         without_answer(f);
         f.driver.hangs = true;
       },
       untold_and({"driver-version"})},
      {"driver", Level::warning, "not found",
       [](Facts& f) {
         without_answer(f);
         f.driver.no_library = true;
       },
       untold_and({"driver-version"})},
      {"driver", Level::problem, "Insufficient Permissions",
       [](Facts& f) { f.driver.checks->error = "Insufficient Permissions"; },
       untold_and({}, "cuda")},
      {"driver", Level::problem, "Driver Not Loaded",
       [](Facts& f) {
         f.driver.checks = topology::DriverChecks{.error = "Driver Not Loaded"};
         f.driver.module_version = "";
       },
       untold_and({"driver-version"}, "cuda")},
      {"driver", Level::warning, "Driver Not Loaded",
       [](Facts& f) {
         f.driver.checks = topology::DriverChecks{.error = "Driver Not Loaded"};
         f.driver.module_version = "";
         f.in_container = true;
       },
       untold_and({"driver-version"}, "cuda")},
      {"driver-version", Level::problem, "kernel module 550.54.15, library 550.90.07",
       [](Facts& f) {
         f.driver.checks = topology::DriverChecks{.library_version = "12.550.90.07",
                                                  .mismatch = true,
                                                  .error = "Driver/library version mismatch"};
       },
       untold_and({"driver"}, "cuda")},
      {"driver-version", Level::problem, "of another version",
       [](Facts& f) {
         f.driver.checks = topology::DriverChecks{.mismatch = true, .error = "mismatch"};
       },
       untold_and({"driver"}, "cuda")},
  });
}

TEST(DriverChecks, LibrariesAndModes) {
  expect_all({
      {"cuda", Level::problem, "libcudart.so.13 is of CUDA 13.0, the driver serves up to 12.4",
       [](Facts& f) {
         f.libraries.cuda_runtime = {"libcudart.so.13", "", 13000};
       }},
      {"cuda", Level::note, "12.6", [](Facts& f) { f.libraries.nccl_cuda = 12060; }},
      {"cuda", Level::note, "no CUDA runtime is found",
       [](Facts& f) {
         f.libraries.cuda_runtime = {"", "no such file", 0};
         f.libraries.nccl_cuda.reset();
       }},
      {"cuda", Level::unknown, "no driver says",
       [](Facts& f) {
         f.driver.checks->cuda_version.reset();
         f.libraries.cuda_driver = 0;
       }},
      {"cuda", Level::ok, "serves up to 12.4", [](Facts& f) { f.libraries.cuda_driver = 0; }},
      {"nccl", Level::note, "no NCCL",
       [](Facts& f) {
         f.libraries.nccl = {"", "no file", 0};
       }},
      {"nccl", Level::warning, "2.8.4", [](Facts& f) { f.libraries.nccl.version = 2804; }},
      {"fabric-manager", Level::problem, "GPU1 (0000:20:00.0): has not joined",
       [](Facts& f) { f.driver.checks->gpus[1].fabric_state = 2; }},
      {"fabric-manager", Level::problem, "could not join",
       [](Facts& f) { f.driver.checks->gpus[1].fabric_result = 999; }},
      {"compute-mode", Level::problem, "no program",
       [](Facts& f) { f.driver.checks->gpus[0].compute_mode = 2; }},
      {"compute-mode", Level::note, "one process",
       [](Facts& f) { f.driver.checks->gpus[0].compute_mode = 3; }},
      {"persistence", Level::note, "1 of 4 GPUs",
       [](Facts& f) { f.driver.checks->gpus[3].persistence = false; }},
  });
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

// SPDX-License-Identifier: Apache-2.0
//
// The command beside launcher/commands/doctor.cc, on stand-ins for NVIDIA's libraries.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "launcher/commands/command.h"

namespace ringmaster::launcher {
namespace {

struct DoctorOutcome {
  int exit_code = 0;
  std::string output = {}, error = {};
};

class DoctorCommand : public testing::Test {
 protected:
  ~DoctorCommand() override {
    for (const char* name : {"RINGMASTER_NVML_LIBRARY", "RINGMASTER_NVML_STAND_IN",
                             "RINGMASTER_CUDA_RUNTIME", "RINGMASTER_NCCL_LIBRARY"}) {
      ::unsetenv(name);
    }
  }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }

  /// A machine for the stand-in of NVML, and the other libraries beside it.
  void play(const std::string& machine) {
    const std::string libraries = RINGMASTER_BINARY_DIR "/../lib/lib";
    ::setenv("RINGMASTER_NVML_LIBRARY", (libraries + "nvml-stand-in.so").c_str(), 1);
    ::setenv("RINGMASTER_NVML_STAND_IN", file("machine", machine).c_str(), 1);
    ::setenv("RINGMASTER_CUDA_RUNTIME", (libraries + "cuda-stand-in.so").c_str(), 1);
    ::setenv("RINGMASTER_NCCL_LIBRARY", (libraries + "nccl-stand-in.so").c_str(), 1);
  }

  static DoctorOutcome run(const Arguments& arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    DoctorOutcome outcome;
    outcome.exit_code = run_doctor(arguments);
    outcome.output = testing::internal::GetCapturedStdout();
    outcome.error = testing::internal::GetCapturedStderr();
    return outcome;
  }

  /// What the check says, as "level: what was seen", one line for each of its findings.
  std::string said(const std::string& check, const std::string& log = "") {
    const auto outcome = run({"--json", "--kernel-log", file("log", log)});
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(outcome.exit_code, json["worst"] == "problem" ? 1 : 0);
    std::string text;
    for (const auto& finding : json["findings"]) {
      if (finding["check"] != check) continue;
      text +=
          finding["level"].get<std::string>() + ": " + finding["seen"].get<std::string>() + "\n";
    }
    return text;
  }

  ringmaster::TemporaryFolder folder_;  // not that of launcher/process/program.h
};

constexpr const char* kFine =
    "pcie 4 4 16 16\nhealth 41 7 85899345920 1024 0\nchecks 0 0 1 0 1 0 0\n"
    "links 12 up 3 switch 00000000:C5:00.0\n";

std::string two_gpus(const std::string& first, const std::string& second) {
  return "version 550.54.15 550.54.15 12040\ngpu 00000000:07:00.0 A100\n" + first +
         "gpu 00000000:0F:00.0 A100\n" + second;
}

TEST_F(DoctorCommand, TwoHealthyGpus) {
  play(two_gpus(kFine, kFine));
  EXPECT_EQ(said("driver"), "ok: NVIDIA's driver 550.54.15 answers\n");
  EXPECT_EQ(said("gpus"), "ok: 2 GPUs\n");
  EXPECT_EQ(said("nvlink"), "ok: 24 NVLink ports are up\n");
  EXPECT_EQ(said("peer-access"), "ok: all GPUs reach each other's memory\n");
  for (const char* check : {"ecc", "gpu-repair", "gpu-clocks", "gpu-memory", "compute-mode",
                            "fabric-manager", "persistence", "pcie", "xid"}) {
    EXPECT_TRUE(said(check).starts_with("ok: ")) << said(check);
  }
}

TEST_F(DoctorCommand, LibrariesAreHeldAgainstTheDriver) {
  play(two_gpus(kFine, kFine));
  const std::string lib = RINGMASTER_BINARY_DIR "/../lib/lib";
  // The stand-ins: a runtime of 12.4 on a driver of 12.6, and NCCL that was built with 13.0.
  EXPECT_EQ(said("cuda"), "ok: " + lib +
                              "cuda-stand-in.so is of CUDA 12.4, the driver serves up to 12.6\n" +
                              "problem: " + lib +
                              "nccl-stand-in.so is of CUDA 13.0, the driver serves up to 12.6\n");
  ::setenv("RINGMASTER_NCCL_LIBRARY", "/nowhere/libnccl.so", 1);
  EXPECT_TRUE(said("nccl").starts_with("note: no NCCL: /nowhere/libnccl.so")) << said("nccl");
}

TEST_F(DoctorCommand, FaultsOfGpus) {
  const std::string bad =
      "pcie 1 4 8 16\nhealth 90 7 85899345920 42949672960 5\nchecks 1 0 72 2 0 2 0\n"
      "links 11 up 3 switch 00000000:C5:00.0\nlinks 1 down 3 hidden -\npeer 00000000:07:00.0 4\n";
  play(two_gpus(kFine, bad));
  const std::string gpu = "GPU1 (0000:0f:00.0)";
  EXPECT_EQ(said("ecc"), "warning: " + gpu +
                             ": 5 uncorrected ECC errors since the driver was "
                             "loaded\n");
  EXPECT_EQ(said("gpu-repair").substr(0, 7), "problem");
  EXPECT_EQ(said("gpu-clocks"), "warning: " + gpu + ": its clocks are held down by heat\n");
  EXPECT_EQ(said("gpu-memory"), "warning: " + gpu + ": 40 GiB of 80 GiB are in use\n");
  EXPECT_EQ(said("compute-mode").substr(0, 7), "problem");
  EXPECT_EQ(said("fabric-manager").substr(0, 7), "problem");
  EXPECT_EQ(said("nvlink"), "warning: " + gpu + ": NVLink 11 is down (11 of 12 are up)\n");
  EXPECT_EQ(said("pcie"), "warning: " + gpu + ": PCIe runs on 8 of 16 lanes\n" +
                              "note: PCIe is slower than it could be: " + gpu +
                              " at 2.5 of 16 GT/s\n");
  EXPECT_TRUE(said("peer-access").starts_with("warning: 1 pairs")) << said("peer-access");
}

TEST_F(DoctorCommand, DriversThatDoNotAnswer) {
  play("init 18\nversion 550.54.15 - 0\n");
  EXPECT_EQ(said("driver-version"),
            "problem: kernel module of another version, library 550.54.15: they must be of one "
            "version\n");
  play(two_gpus("lost\n", kFine));
  EXPECT_EQ(said("gpus"), "problem: GPU0 (0000:07:00.0): GPU is lost\n");
  play(two_gpus("denied\n", kFine));
  EXPECT_EQ(said("gpus"),
            "problem: a GPU that the driver counts cannot be asked: Insufficient Permissions\n");
  play("init 9\n");
  EXPECT_EQ(said("driver"), "ok: no NVIDIA GPU here\n");
  play(two_gpus("hang\n", kFine));  // takes the 5 s after which a driver is given up
  const auto outcome = run({"--all"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("problem  driver: NVIDIA's driver does not answer"),
            std::string::npos)
      << outcome.output;
}

TEST_F(DoctorCommand, ErrorsOfASavedLog) {
  const std::string log = "[1.0] NVRM: Xid (PCI:0000:0f:00): 79, GPU has fallen off the bus.\n";
  EXPECT_EQ(said("xid", log),
            "problem: 0000:0f:00.0: Xid 79, the GPU has fallen off the bus [GPU "
            "has fallen off the bus.]\n");
  play(two_gpus(kFine, kFine));
  EXPECT_TRUE(said("xid", log).starts_with("problem: GPU1 (0000:0f:00.0): Xid 79"));
  const auto text = run({"--kernel-log", file("log", log)});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_TRUE(text.output.starts_with("problem  ")) << "the worst first: " << text.output;
  EXPECT_NE(text.output.find("Xid 79"), std::string::npos);
  EXPECT_EQ(text.output.find("\nok "), std::string::npos) << "what is fine is counted only";
  EXPECT_NE(run({"--all"}).output.find("\nok "), std::string::npos);
}

TEST_F(DoctorCommand, Refusals) {
  const auto missing = run({"--kernel-log", folder_.file("none")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.error.find("none"), std::string::npos);
  EXPECT_EQ(missing.output, "");
  EXPECT_EQ(run({"extra"}).exit_code, kExitUsage);
  const auto json = nlohmann::json::parse(run({"--json", "--no-such"}).error);
  EXPECT_TRUE(json.contains("error"));
}

}  // namespace
}  // namespace ringmaster::launcher

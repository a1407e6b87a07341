// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/driver_checks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/random.h"
#include "base/temporary_folder.h"

namespace ringmaster::topology {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

class Checks : public testing::Test {
 protected:
  Result<DriverChecks> read(const std::string& recorded, Duration patience = kPatience) {
    std::ofstream(folder_.file("machine")) << recorded;
    ::setenv("RINGMASTER_NVML_STAND_IN", folder_.file("machine").c_str(), 1);
    return read_driver_checks(RINGMASTER_BINARY_DIR "/../lib/libnvml-stand-in.so", patience);
  }

  TemporaryFolder folder_;
};

TEST_F(Checks, AreWhatTheLibraryTells) {
  const auto read_back = read(
      "version 535.129.03 535.129.03 12020\n"
      "gpu 00000000:07:00.0 A100\nchecks 0 1 72 3 0 3 0\n"
      "gpu 00000000:0f:00.0 A100\npeer 00000000:07:00.0 4\n");
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  const DriverChecks& checks = *read_back;
  EXPECT_EQ(checks.library_version, "12.535.129.03");
  EXPECT_EQ(checks.driver_version, "535.129.03");
  EXPECT_EQ(checks.cuda_version, 12020);
  EXPECT_FALSE(checks.mismatch);
  ASSERT_EQ(checks.gpus.size(), 2U);
  EXPECT_EQ(checks.gpus[0].bus_id, "0000:07:00.0");
  EXPECT_EQ(checks.gpus[0].remap_failed, false);
  EXPECT_EQ(checks.gpus[0].repair_pending, true);
  EXPECT_EQ(checks.gpus[0].throttle, kThrottleHardware | kThrottleHardwareHeat);
  EXPECT_EQ(checks.gpus[0].compute_mode, 3);
  EXPECT_EQ(checks.gpus[0].persistence, false);
  EXPECT_EQ(checks.gpus[0].fabric_state, 3);
  EXPECT_EQ(checks.gpus[0].fabric_result, 0);
  EXPECT_EQ(checks.gpus[1].repair_pending, std::nullopt) << "not told is unknown";
  EXPECT_EQ(checks.peers, (std::vector<PeerAccess>{{"0000:07:00.0", "0000:0f:00.0", 0},
                                                   {"0000:0f:00.0", "0000:07:00.0", 4}}));
}

TEST_F(Checks, AMismatchTellsTheLibrarysVersion) {
  const auto checks = read("init 18\nversion 550.54.15 - 12040\ngpu 00000000:07:00.0 A100\n");
  ASSERT_TRUE(checks.ok()) << checks.error().message;
  EXPECT_TRUE(checks->mismatch);
  EXPECT_EQ(checks->library_version, "12.550.54.15");
  EXPECT_EQ(checks->driver_version, "");
  EXPECT_EQ(checks->error, "Driver/library version mismatch");
  EXPECT_TRUE(checks->gpus.empty());
}

TEST_F(Checks, WithoutPermissionDriverLibraryOrEnd) {
  EXPECT_EQ(read("init 4\n")->error, "Insufficient Permissions");
  EXPECT_EQ(read("init 9\n")->error, "Driver Not Loaded");
  EXPECT_EQ(read("gpu 00000000:07:00.0 A100\nlost\n")->gpus.at(0).throttle, std::nullopt);
  EXPECT_EQ(read("gpu 00000000:07:00.0 A100\ndenied\n")->gpus.size(), 0U);
  EXPECT_EQ(read_driver_checks("/nowhere/libnvml.so", kPatience).error().code, Errc::not_found);
  const auto hung = read("gpu 00000000:07:00.0 A100\nhang\n", std::chrono::milliseconds(300));
  EXPECT_EQ(hung.error().code, Errc::timed_out);
}

template <class Value>
std::optional<Value> random_told(Random& random, std::uint64_t most) {
  if (random.chance(0.3)) return std::nullopt;
  return static_cast<Value>(random.below(most + 1));
}

DriverChecks random_checks(Random& random) {
  DriverChecks checks{.library_version = random.chance(0.5) ? "12.535.1" : "",
                      .driver_version = random.chance(0.5) ? "535.1" : ""};
  checks.cuda_version = random_told<int>(random, 13000);
  checks.mismatch = random.chance(0.3);
  if (random.chance(0.3)) checks.error = "a text with blanks";
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    GpuChecks gpu{.bus_id = "0000:0" + std::to_string(i) + ":00.0"};
    gpu.remap_failed = random_told<bool>(random, 1);
    gpu.repair_pending = random_told<bool>(random, 1);
    gpu.throttle = random_told<unsigned long long>(random, 0x1ff);
    gpu.compute_mode = random_told<int>(random, 3);
    gpu.persistence = random_told<bool>(random, 1);
    gpu.fabric_state = random_told<int>(random, 3);
    gpu.fabric_result = random_told<int>(random, 999);
    checks.peers.push_back({gpu.bus_id, "0000:09:00.0", static_cast<int>(random.below(7))});
    checks.gpus.push_back(std::move(gpu));
  }
  return checks;
}

TEST(ChecksText, ComesBackAsItWasAndNeverHalf) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    const DriverChecks checks = random_checks(random);
    std::string text = driver_checks_text(checks);
    EXPECT_EQ(parse_driver_checks(text), checks) << "seed " << seed << "\n" << text;
    EXPECT_EQ(parse_driver_checks(text.substr(0, text.size() - 1)), std::nullopt);
    for (std::uint64_t i = 0; i < 4; ++i) {  // any bytes: an answer, or none
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    const auto odd = parse_driver_checks(text);
    if (odd) {
      EXPECT_LE(odd->gpus.size(), checks.gpus.size() + 4);
    }
  }
}

}  // namespace
}  // namespace ringmaster::topology

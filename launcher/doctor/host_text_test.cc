// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/host_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::launcher::doctor {
namespace {

TEST(HostText, Memory) {
  const auto memory = parse_memory(
      "MemTotal:       24683652 kB\nMemFree:        1 kB\nMemAvailable:   24285280 kB\n"
      "SwapTotal:       8 kB\nSwapFree:        5 kB\nCommitLimit:    12341824 kB\n"
      "Committed_AS:      61536 kB\nHugePages_Total:       3\nHugePages_Free:        2\n"
      "Hugepagesize:       2048 kB\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->total, 24683652ULL << 10);
  EXPECT_EQ(memory->available, 24285280ULL << 10);
  EXPECT_EQ(memory->swap_total, 8192U);
  EXPECT_EQ(memory->swap_free, 5120U);
  EXPECT_EQ(memory->commit_limit, 12341824ULL << 10);
  EXPECT_EQ(memory->committed, 61536ULL << 10);
  EXPECT_EQ(memory->huge_total, 3ULL * (2 << 20));
  EXPECT_EQ(memory->huge_free, 2ULL * (2 << 20));
  EXPECT_FALSE(parse_memory("MemFree: 12 kB\n"));
  EXPECT_FALSE(parse_memory("MemTotal: 12 kB\n")) << "a kernel that does not tell what is left";
  EXPECT_FALSE(parse_memory(""));
}

TEST(HostText, VersionsOfTheModule) {
  EXPECT_EQ(parse_module_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu "
                                 "Oct 19 18:56:32 UTC 2023\nGCC version:  gcc 12.2.0\n"),
            "535.129.03");
  EXPECT_EQ(parse_module_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                                 "570.158.01  Release Build  (root@h)  Mon Jun 2\n"),
            "570.158.01");
  EXPECT_EQ(parse_module_version("GCC version: 12.2.0\n"), "");
  EXPECT_EQ(parse_module_version("NVRM version: none\nGCC version: 12.2.0\n"), "");
}

TEST(HostText, LimitsChoicesKernelsAndPorts) {
  EXPECT_EQ(parse_group_limit("max\n"), kUnlimited);
  EXPECT_EQ(parse_group_limit("9223372036854771712\n"), kUnlimited);
  EXPECT_EQ(parse_group_limit("8589934592\n"), 8ULL << 30);
  EXPECT_EQ(parse_group_limit(""), std::nullopt);
  EXPECT_EQ(parse_group_limit("-1"), std::nullopt);
  EXPECT_EQ(parse_choice("always within_size advise [never] deny force\n"), "never");
  EXPECT_EQ(parse_choice("never"), std::nullopt);
  EXPECT_EQ(parse_choice("]never["), std::nullopt);
  EXPECT_EQ(parse_kernel("6.1.0-18-amd64"), 601);
  EXPECT_EQ(parse_kernel("5.15.0"), 515);
  EXPECT_EQ(parse_kernel("6"), std::nullopt);
  EXPECT_EQ(parse_kernel("linux"), std::nullopt);
  EXPECT_EQ(parse_port_state("4: ACTIVE\n"), "ACTIVE");
  EXPECT_EQ(parse_port_state("1: DOWN"), "DOWN");
  EXPECT_EQ(value_behind("Uid:\t1000\t1000\nThreads:\t7\n", "Threads"), "7");
  EXPECT_EQ(value_behind("Uid:\t1000\t1000\n", "Uid"), "1000");
  EXPECT_EQ(value_behind("Uids:\t1\nUid:\n", "Uid"), "");
}

TEST(HostText, TheCudaOfNccl) {
  using namespace std::string_literals;
  EXPECT_EQ(parse_nccl_cuda("\x7f"s + "ELF\0\0NCCL version 2.21.5+cuda12.4\0more"s), 12040);
  EXPECT_EQ(parse_nccl_cuda("NCCL version %d\0\0NCCL version 2.18.1+cuda11.8"s), 11080);
  EXPECT_EQ(parse_nccl_cuda("NCCL version 2.18.1\0+cuda12.4"s), std::nullopt);
  EXPECT_EQ(parse_nccl_cuda("NCCL version 2.18.1+cuda"s), std::nullopt);
  EXPECT_EQ(parse_nccl_cuda(""), std::nullopt);
}

TEST(HostText, WhatIsWrittenIsRead) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto major = random.below(99), minor = random.below(99);
    EXPECT_EQ(parse_kernel(fmt::format("{}.{}.7-x", major, minor)), major * 100 + minor);
    EXPECT_EQ(parse_nccl_cuda(
                  fmt::format("x NCCL version 2.{}.{}+cuda{}.{}", minor, major, major, minor)),
              major * 1000 + minor * 10);
    const std::uint64_t total = 1 + random.below(1ULL << 40), left = random.below(total);
    const auto memory = parse_memory(
        fmt::format("Other: 1 kB\nMemTotal:  {} kB\nMemAvailable: {} kB\n", total, left));
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->total, total << 10);
    EXPECT_EQ(memory->available, left << 10);
  }
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

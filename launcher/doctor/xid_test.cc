// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/xid.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace ringmaster::launcher::doctor {
namespace {

TEST(Xid, LinesOfAllKinds) {
  using Event = std::optional<XidEvent>;
  const std::vector<std::pair<std::string, Event>> lines = {
      {"4,1234,98765,-;NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has "
       "fallen off the bus.\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n",
       XidEvent{79, "0000:3b:00.0",
                "pid='<unknown>', name=<unknown>, GPU has fallen off the bus."}},
      {"[  317.44] NVRM: Xid (PCI:0000:08:00): 31, Ch 0000003b, intr 10000000. MMU Fault",
       XidEvent{31, "0000:08:00.0", "Ch 0000003b, intr 10000000. MMU Fault"}},
      {"kernel: NVRM: Xid (0000:03:00): 14, Channel 00000001",
       XidEvent{14, "0000:03:00.0", "Channel 00000001"}},
      {"NVRM: Xid (PCI:0001:C3:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU "
       "Reset Required)",
       XidEvent{154, "0001:c3:00.0",
                "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"}},
      {"NVRM: Xid (PCI:0000:3b:00): 45", XidEvent{45, "0000:3b:00.0", ""}},
      {"4,7,8,-;NVRM: The NVIDIA GPU 0000:b3:00.0\\x0a               NVRM: (PCI ID: 10de:26b5) "
       "installed in this system has\\x0a  NVRM: fallen off the bus and is not responding",
       XidEvent{79, "0000:b3:00.0", "GPU has fallen off the bus"}},
      {"NVRM: Xid (PCI:0000:3b:00): ", std::nullopt},
      {"NVRM: Xid (PCI:0000:3b:00): seventy", std::nullopt},
      {"NVRM: Xid (PCI:0000:3b:00): 79x", std::nullopt},
      {"NVRM: Xid (PCI:0000:3b:00): 99999999999999999999, x", std::nullopt},
      {"NVRM: Xid (PCI:pci): 79, x", std::nullopt},
      {"NVRM: Xid (PCI:0000:3b:00 79, x", std::nullopt},
      {"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01", std::nullopt},
      {"", std::nullopt}};
  for (const auto& [line, event] : lines) EXPECT_EQ(parse_xid(line), event) << line;
}

TEST(Xid, WhatIsWrittenIsReadAndNothingElseIs) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const XidEvent event{
        static_cast<int>(random.below(200)),
        fmt::format("{:04x}:{:02x}:{:02x}.0", random.below(3), random.below(256), random.below(32)),
        random.chance(0.5) ? "" : "pid=1234, name=python"};
    std::string line =
        fmt::format("{},{},{},-;{}NVRM: Xid (PCI:{}): {}{}", random.below(8), random.below(1000),
                    random.below(1000), random.chance(0.2) ? "noise " : "",
                    event.bus_id.substr(0, event.bus_id.size() - 2), event.number,
                    event.detail.empty() ? "" : ", " + event.detail);
    EXPECT_EQ(parse_xid(line), event) << "seed " << seed << ": " << line;
    // Any bytes: an answer that is one line of printable characters, or none.
    for (int i = 0; i < 6; ++i) {
      line[random.below(line.size())] = static_cast<char>(random.below(256));
    }
    const auto odd = parse_xid(line.substr(0, random.below(line.size() + 1)));
    if (!odd) continue;
    EXPECT_LE(odd->detail.size(), 120U);
    EXPECT_TRUE(std::all_of(odd->detail.begin(), odd->detail.end(),
                            [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

TEST(Xid, EveryNumberHasAMeaningAndAnAdvice) {
  for (int number = 0; number < 300; ++number) {
    const XidMeaning meaning = xid_meaning({number, "", ""});
    EXPECT_GE(meaning.level, Level::note);
    EXPECT_FALSE(meaning.what.empty());
    EXPECT_FALSE(meaning.advice.empty());
  }
  EXPECT_EQ(xid_meaning({31, "", ""}).level, Level::note) << "a program's fault";
  EXPECT_EQ(xid_meaning({48, "", ""}).level, Level::warning);
  EXPECT_EQ(xid_meaning({79, "", ""}).level, Level::problem);
}

TEST(Xid, TheRecoveryThatADriverAsksForIsOverWhenItSaysSo) {
  EXPECT_EQ(xid_meaning({154, "", "changed from 0x0 (None) to 0x1 (GPU Reset Required)"}).level,
            Level::problem);
  EXPECT_EQ(xid_meaning({154, "", "changed from 0x1 (GPU Reset Required) to 0x0 (None)"}).level,
            Level::note);
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

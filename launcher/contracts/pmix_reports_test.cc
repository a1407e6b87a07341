// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/pmix_reports.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher::pmix {
namespace {

std::string bytes_of(std::initializer_list<std::string> records) {
  std::string bytes;
  for (const std::string& record : records) bytes += record + '\0';
  return bytes;
}

TEST(PmixReports, WholeOnesAreTakenAndTheRestStays) {
  std::string bytes = bytes_of({"vA=b c", "r", "c3", "a2 -7"}) + "d1";
  const auto all = take_reports(bytes, 4);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].report, Report::variable);
  EXPECT_EQ(all[0].text, "A=b c");
  EXPECT_EQ(all[1].report, Report::ready);
  EXPECT_EQ(all[2].rank, 3);
  EXPECT_EQ(all[3].report, Report::aborted);
  EXPECT_EQ(all[3].rank, 2);
  EXPECT_EQ(all[3].status, -7);
  EXPECT_EQ(bytes, "d1");
  bytes += '\0';
  EXPECT_EQ(take_reports(bytes, 4).at(0).report, Report::finalized);
}

TEST(PmixReports, WhatIsNoReportIsDropped) {
  std::string bytes = bytes_of({"", "z1", "c", "cx", "c4", "c-1", "a99999999999 1", "c1"});
  const auto all = take_reports(bytes, 4);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rank, 1);
}

}  // namespace
}  // namespace ringmaster::launcher::pmix

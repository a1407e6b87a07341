// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/guess.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher::hostlist {
namespace {

ListResult<HostList> guess(std::string_view preferred, const std::string& text) {
  const Format* format = find_format(preferred);
  CHECK(format != nullptr);
  return guess_host_list(*format, {.list = {"list", text}});
}

TEST(HostListGuess, ThePreferredFormatIsTakenWithoutAWord) {
  const auto list = guess("openmpi", "n1 slots=2\n");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->format, "openmpi");
  EXPECT_TRUE(list->notes.empty());
  EXPECT_EQ(guess("openmpi-host", "n1")->slots(), 1);
}

TEST(HostListGuess, AnotherFormatIsSaid) {
  const auto list = guess("openmpi-host", "n[1-2]");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->format, "slurm");
  ASSERT_EQ(list->notes.size(), 1U);
  EXPECT_EQ(list->notes.front(), "not openmpi-host: read as slurm, a list of Slurm: n[1-3,7]");
}

TEST(HostListGuess, APortIsNotTakenForSlots) {
  const auto option = guess("openmpi-host", "n1:2,kim@n2:2022");
  ASSERT_FALSE(option.ok());
  EXPECT_EQ(option.error().entry, "kim@n2:2022");
  EXPECT_TRUE(guess("openmpi-host", "kim@n2").ok()) << "no number, no doubt";
}

TEST(HostListGuess, WhatNobodyReadsIsThePreferredFormatsRefusal) {
  const auto list = guess("openmpi", "n1 slots=2\nn2 slots=x\n");
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.error().line, 2);
  EXPECT_TRUE(list.error().why.starts_with("as openmpi: ")) << list.error().why;
}

TEST(HostListGuess, ARepeatedHostOfALaxFormatDoesNotHideAMistake) {
  EXPECT_FALSE(guess("openmpi", "n1 slots=2\nn1 slots=2\n").ok());
}

}  // namespace
}  // namespace ringmaster::launcher::hostlist

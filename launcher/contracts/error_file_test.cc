// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/error_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace ringmaster::launcher {
namespace {

TEST(ErrorFile, TellsWhatWasRaised) {
  const auto whole = parse_error_file(
      R"({"message": {"message": "ValueError: x is\nnegative", "extraInfo": {"py_callstack": )"
      R"("Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: no\n", )"
      R"("timestamp": "1700000001"}}})");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->message, "ValueError: x is negative");
  EXPECT_EQ(whole->traceback,
            "Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: no");
  EXPECT_EQ(whole->seconds, 1700000001);
}

TEST(ErrorFile, AMessageMayBePlainText) {
  const auto report = parse_error_file(R"({"message": "killed by itself", "timestamp": 12})");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->message, "killed by itself");
  EXPECT_EQ(report->traceback, "");
  EXPECT_EQ(report->seconds, 12);
}

TEST(ErrorFile, OnlyTheLastLinesOfALongTraceback) {
  std::string stack;
  for (int line = 0; line < 100; ++line) stack += "line " + std::to_string(line) + "\\n";
  const auto report = parse_error_file(
      R"({"message": {"message": "E", "extraInfo": {"py_callstack": ")" + stack + R"("}}})");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->traceback.substr(0, 8), "line 88\n");
  EXPECT_TRUE(report->traceback.ends_with("line 99"));
}

TEST(ErrorFile, WhatIsNoneIsNone) {
  for (const char* text : {"", "{", "[]", "{}", "3", R"({"message": 3})", R"({"message": ""})",
                           R"({"message": {}})", "\xff\xfe", R"({"message": "a)"}) {
    EXPECT_FALSE(parse_error_file(text).has_value()) << text;
  }
  EXPECT_TRUE(parse_error_file(R"({"message": "a", "timestamp": "x"})").has_value());
  EXPECT_FALSE(read_error_file("").has_value());
  EXPECT_FALSE(read_error_file("/no/such/file").has_value());
}

TEST(ErrorFile, IsReadFromItsFile) {
  ringmaster::TemporaryFolder folder;
  std::ofstream(folder.file("e")) << R"({"message": "m"})";
  EXPECT_EQ(read_error_file(folder.file("e"))->message, "m");
}

}  // namespace
}  // namespace ringmaster::launcher

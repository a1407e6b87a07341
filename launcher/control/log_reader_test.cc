// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/log_reader.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "launcher/host/log_file.h"

namespace ringmaster::launcher {
namespace {

class LogReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "ringmaster-logs-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& host, const std::string& text) const {
    std::ofstream(log_path(folder_, host), std::ios::app | std::ios::binary) << text;
  }
  std::string folder_;
};

TEST_F(LogReaderTest, GivesWholeLinesOnceAndTheRestAtTheEnd) {
  LogReader reader(folder_);
  EXPECT_EQ(reader.next(), "");
  write("a", "one\ntwo");
  write("b", "[3] b\n");
  EXPECT_EQ(reader.next(), "one\n[b:3] b\n");
  EXPECT_EQ(reader.next(), "");
  write("a", "!\nthree");
  EXPECT_EQ(reader.next(), "two!\n");
  EXPECT_EQ(reader.rest(), "three");
}

TEST_F(LogReaderTest, PartsOfAStreamAreOneText) {
  const auto part = [&](std::int64_t start, const std::string& text) {
    std::ofstream(jobs::part_path(folder_, "box-5", start), std::ios::app) << text;
  };
  LogReader reader(folder_);
  EXPECT_TRUE(reader.complete());
  part(0, "one\ntw");
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(reader.next(), "one\n");
  part(6, "o\nthr");
  EXPECT_EQ(reader.next(), "two\n");
  // Bytes that never came are told where they are missing, in a line of their own.
  part(111, "four\n");
  EXPECT_EQ(reader.next(), "thr\n[100 bytes lost: output is kept up to a size]\nfour\n");
  EXPECT_EQ(reader.next(), "");
  part(111, "fi");
  write("local-1", "[0] near\n");
  EXPECT_EQ(reader.next(), "[local-1:0] near\n");
  std::ofstream(jobs::end_path(folder_, "box-5")) << "[lost]\n";
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(reader.next(), "fi\n[lost]\n");
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(reader.rest(), "");
  // The oldest part goes while others read.
  std::filesystem::remove(jobs::part_path(folder_, "box-5", 0));
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(LogReader(folder_).next(),
            "[6 bytes lost: output is kept up to a size]\no\nthr\n"
            "[100 bytes lost: output is kept up to a size]\nfour\nfi\n[lost]\n[local-1:0] near\n");
}

TEST_F(LogReaderTest, LinesOfSeveralHostsBeginWithTheirs) {
  EXPECT_EQ(with_host("[0] a\n[17] [0] b\nc\n[] d\n[3]e\n", "n1", false),
            "[n1:0] a\n[n1:17] [0] b\nc\n[] d\n[3]e\n");
  EXPECT_EQ(with_host("[0] rest\n[1] whole", "n1", true), "[0] rest\n[n1:1] whole");
  EXPECT_EQ(with_host("[", "n1", false), "[");
  write("a", "[0] one\n");
  LogReader reader(folder_);
  EXPECT_EQ(reader.next(), "[0] one\n");  // one host: its name says nothing
  std::ofstream(jobs::part_path(folder_, "gpu-box-5", 0)) << "[1] two\n";
  EXPECT_EQ(reader.next(), "[gpu-box:1] two\n");
}

TEST_F(LogReaderTest, ALongLogLosesItsOldestPartAndSaysSo) {
  std::string all;
  for (int line = 0; all.size() < 1'000'000; ++line) {
    all += "line " + std::to_string(line) + std::string(40, '.') + "\n";
  }
  write("a", all);
  LogReader behind(folder_);
  EXPECT_EQ(behind.next(), all);
  const std::string path = log_path(folder_, "a");
  ASSERT_TRUE(trim_file(path, 10'000'000, 1));  // short enough: nothing happens
  EXPECT_EQ(LogReader(folder_).next(), all);
  const auto trimmed = trim_file(path, 500'000, 100'000);
  if (!trimmed) GTEST_SKIP() << trimmed.error().message;
  EXPECT_EQ(std::filesystem::file_size(path), all.size());
  const std::string left = LogReader(folder_).next();
  EXPECT_LT(left.size(), 110'000u);
  const std::size_t first = left.find('\n');
  EXPECT_NE(left.substr(0, first).find("bytes lost"), std::string::npos);
  EXPECT_EQ(left.substr(first + 1), all.substr(all.size() - (left.size() - first - 1)));
  EXPECT_EQ(left.substr(first + 1, 5), "line ");
  write("a", "more\n");
  EXPECT_EQ(behind.next(), "more\n");  // who had read it all notices nothing
}

}  // namespace
}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/host_logs.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"

namespace ringmaster::jobs {
namespace {

constexpr HostLogs::Key kKey{JobId{3}, HostId{5}};

class HostLogsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "ringmaster-host-logs-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  HostLogs open(HostLogs::Bounds bounds = {}) {
    return HostLogs(
        folder_, [this](const std::string& line) { said_ += line + "\n"; }, bounds);
  }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  /// All that is kept, with the gaps in brackets, and then the text of the end.
  std::string kept() const {
    std::string text;
    std::int64_t at = 0;
    for (const LogStream& stream : list_log_streams(folder_ + "/3")) {
      for (const LogPart& part : stream.parts) {
        if (part.start != at) text += "(" + std::to_string(part.start - at) + ")";
        const std::string piece = text_of(part.path);
        text += piece;
        at = part.start + static_cast<std::int64_t>(piece.size());
      }
      if (!stream.end.empty()) text += "|" + text_of(stream.end);
    }
    return text;
  }
  std::string folder_;
  std::string said_;
};

OutputPiece piece(std::int64_t offset, std::string_view data, std::int64_t first = 0,
                  bool last = false) {
  return {kKey.job, offset, first, data, last};
}

TEST_F(HostLogsTest, ABytesPlaceIsItsOffsetHoweverOftenItComes) {
  HostLogs logs = open();
  EXPECT_TRUE(logs.take(kKey.host, piece(0, "nobody ordered this")).complete);
  logs.expect(kKey, "gpu/box");
  EXPECT_EQ(logs.take(kKey.host, piece(0, "one\n")).offset, 4);
  EXPECT_EQ(logs.take(kKey.host, piece(0, "one\ntwo\n")).offset, 8);  // half of it is known
  EXPECT_EQ(logs.take(kKey.host, piece(2, "e\n")).offset, 8);         // all of it
  EXPECT_EQ(logs.take(kKey.host, piece(12, "four")).offset, 8);       // the third is on its way
  EXPECT_EQ(kept(), "one\ntwo\n");
  // Another coordinator knows it from the files alone.
  HostLogs next = open();
  next.find_again([](HostId) { return false; });
  EXPECT_EQ(next.take(kKey.host, piece(4, "two\nsix\n")).offset, 12);
  EXPECT_TRUE(next.take(kKey.host, piece(12, "", 12, true)).complete);
  EXPECT_EQ(kept(), "one\ntwo\nsix\n|");
  EXPECT_TRUE(next.incomplete().empty());
  EXPECT_TRUE(next.take(kKey.host, piece(12, "", 12, true)).complete);  // said again
  EXPECT_EQ(kept(), "one\ntwo\nsix\n|");
  EXPECT_EQ(said_, "");
}

TEST_F(HostLogsTest, WhatTheAgentHasDroppedIsAGap) {
  HostLogs logs = open();
  logs.expect(kKey, "a");
  EXPECT_EQ(logs.take(kKey.host, piece(0, "abc")).offset, 3);
  EXPECT_EQ(logs.take(kKey.host, piece(10, "xyz", 10)).offset, 13);
  EXPECT_EQ(logs.take(kKey.host, piece(10, "xyz", 10)).offset, 13);
  EXPECT_EQ(logs.take(kKey.host, piece(13, "!", 10)).offset, 14);
  EXPECT_EQ(kept(), "abc(7)xyz!");
}

TEST_F(HostLogsTest, ALongStreamLosesItsOldestParts) {
  HostLogs logs = open({.part = 10, .all = 40});
  logs.expect(kKey, "a");
  std::string all;
  for (int i = 0; i < 50; ++i) {
    const std::string data = std::to_string(100 + i);
    const auto taken = logs.take(kKey.host, piece(3 * i, data));
    EXPECT_EQ(taken.offset, 3 * i + 3);
    all += data;
    const std::string text = kept();
    const std::size_t end = text.find(')');
    const std::string tail = end == std::string::npos ? text : text.substr(end + 1);
    EXPECT_LE(tail.size(), 50u);
    EXPECT_TRUE(all.ends_with(tail));
  }
}

TEST_F(HostLogsTest, ALostHostIsALineInItsLog) {
  HostLogs logs = open();
  logs.expect(kKey, "box");
  logs.take(kKey.host, piece(0, "half a li"));
  logs.expect({JobId{4}, HostId{6}}, "other");
  logs.lose(kKey.host);
  const std::string marked =
      "half a li|[host box was lost: what came after byte 9 did not arrive]\n";
  EXPECT_EQ(kept(), marked);
  EXPECT_TRUE(logs.take(kKey.host, piece(9, "too late")).complete);
  EXPECT_EQ(kept(), marked);
  EXPECT_EQ(logs.incomplete().size(), 1u);
  // It was lost while the coordinator died: the next one marks it.
  HostLogs next = open();
  next.find_again([](HostId host) { return host == HostId{6}; });
  EXPECT_TRUE(next.incomplete().empty());
  EXPECT_EQ(text_of(end_path(folder_ + "/4", "other-6")),
            "[host other was lost: what came after byte 0 did not arrive]\n");
}

TEST_F(HostLogsTest, ADiskThatIsFullHoldsUpAndIsToldOnce) {
  HostLogs logs = open();
  logs.expect(kKey, "a");
  std::filesystem::remove_all(folder_);
  EXPECT_EQ(logs.take(kKey.host, piece(0, "one")).offset, 0);
  EXPECT_EQ(logs.take(kKey.host, piece(0, "one")).offset, 0);
  EXPECT_NE(said_.find("output is held up"), std::string::npos);
  EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1);
  std::filesystem::create_directories(folder_ + "/3");
  EXPECT_EQ(logs.take(kKey.host, piece(0, "one")).offset, 3);
  EXPECT_EQ(kept(), "one");
}

TEST_F(HostLogsTest, AnyOrderOfPiecesAndCoordinatorsGivesTheSameBytes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::filesystem::remove_all(folder_);
    Random random(seed);
    std::string all;
    for (int i = 0; i < 200; ++i) all += std::to_string(i) + "\n";
    auto logs = std::make_unique<HostLogs>(open({.part = 64, .all = 1 << 20}));
    logs->expect(kKey, "a");
    bool complete = false;
    while (!complete) {
      const std::size_t offset = random.below(all.size() + 1);
      const auto data = std::string_view(all).substr(offset, random.below(100));
      const bool last = offset + data.size() == all.size();
      complete =
          logs->take(kKey.host, piece(static_cast<std::int64_t>(offset), data, 0, last)).complete;
      if (random.chance(0.9)) continue;
      logs = std::make_unique<HostLogs>(open({.part = 64, .all = 1 << 20}));
      logs->find_again([](HostId) { return false; });
    }
    EXPECT_EQ(kept(), all + "|") << "seed " << seed;
  }
}

}  // namespace
}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
#include "collectives/tensors/timeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ringmaster::collectives {
namespace {

using nlohmann::json;

class TimelineFile : public testing::Test {
 protected:
  TimelineFile() {
    std::string folder = testing::TempDir() + "timeline.XXXXXX";
    CHECK(::mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
  }
  ~TimelineFile() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Timeline> open(bool append = false) {
    auto opened = Timeline::open(path(), 3, append);
    CHECK(opened.ok());
    return std::move(*opened);
  }
  std::string path() const { return folder_ + "/timeline.json"; }
  std::string text() const {
    std::ifstream file(path());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string folder_;
};

TEST_F(TimelineFile, IsAnArrayOfEvents) {
  const Time begin{std::chrono::microseconds(1500)};
  auto timeline = open();
  timeline->moment("generation 1", begin);
  timeline->span("layer \"0\"\n\\", "reduce", begin, begin + std::chrono::microseconds(250), 64);
  timeline->span("layer \"0\"\n\\", "queue", begin, begin);
  timeline.reset();
  const json events = json::parse(text());
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0]["args"]["name"], "rank 3");
  EXPECT_EQ(events[1]["ph"], "i");
  EXPECT_EQ(events[2]["args"]["name"], "layer \"0\"\n\\");
  EXPECT_EQ(events[3]["ph"], "X");
  EXPECT_EQ(events[3]["ts"], 1500);
  EXPECT_EQ(events[3]["dur"], 250);
  EXPECT_EQ(events[3]["pid"], 3);
  EXPECT_EQ(events[3]["args"]["bytes"], 64);
  EXPECT_EQ(events[4]["tid"], events[3]["tid"]);
  EXPECT_FALSE(events[4].contains("args"));
}

TEST_F(TimelineFile, WithoutItsEndOnlyTheBracketIsMissing) {
  auto timeline = open();
  timeline->span("a", "reduce", Time{}, Time{});
  ASSERT_TRUE(timeline->flush().ok());
  EXPECT_EQ(json::parse(text() + "]").size(), 3u);
}

TEST_F(TimelineFile, GoesOnBehindAnEarlierProcess) {
  open().reset();
  {
    auto again = open(true);
    again->moment("later", Time{});
    EXPECT_EQ(json::parse(text() + "]").size(), 3u);  // as a killed process leaves it
  }
  open(true).reset();
  const json events = json::parse(text());
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[2]["name"], "later");
  open().reset();
  EXPECT_EQ(json::parse(text()).size(), 1u);
}

TEST_F(TimelineFile, HasSoManyRowsAndNoMore) {
  auto timeline = open();
  for (std::size_t i = 0; i < Timeline::kRowsMost + 10; ++i) {
    timeline->span(std::to_string(i), "reduce", Time{}, Time{});
  }
  timeline.reset();
  std::size_t rows = 0;
  for (const json& event : json::parse(text())) rows += event["name"] == "thread_name" ? 1 : 0;
  EXPECT_EQ(rows, Timeline::kRowsMost + 1);
}

TEST_F(TimelineFile, SaysWhatCannotBeWritten) {
  const auto nowhere = Timeline::open(folder_ + "/no/file", 0, false);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().message,
            "open timeline " + folder_ + "/no/file: No such file or directory");
  const auto full = Timeline::open("/dev/full", 0, false);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().message, "write timeline /dev/full: No space left on device");
}

TEST(TimelinePath, IsTheLowestRanksOrEachRanksOwn) {
  EXPECT_EQ(timeline_path("t.json", 2, true), "t.json");
  EXPECT_EQ(timeline_path("t.json", 3, false), "");
  EXPECT_EQ(timeline_path("t-%r.json", 3, false), "t-3.json");
}

}  // namespace
}  // namespace ringmaster::collectives

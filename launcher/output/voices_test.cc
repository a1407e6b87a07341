// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/voices.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher {
namespace {

using Lines = std::vector<std::string>;

TEST(Voice, KeepsTheEndOfStandardError) {
  const Time start{std::chrono::seconds(1)};
  Voice voice(start);
  EXPECT_EQ(voice.heard(), start);
  voice.hear(start + std::chrono::seconds(1), "to output", false);
  EXPECT_EQ(voice.errors(), "");
  EXPECT_EQ(voice.heard(), start + std::chrono::seconds(1));
  for (int i = 0; i < 5000; ++i) voice.hear(start, "ab", true);
  EXPECT_EQ(voice.errors().size(), Voice::kTailMax);
  voice.hear(start, std::string(10000, 'x') + "y", true);
  EXPECT_EQ(voice.errors(), std::string(Voice::kTailMax - 1, 'x') + "y");
}

TEST(Voices, RememberTheNewestProcessOfARank) {
  Voices voices;
  const jobs::RankId first{jobs::JobId{1}, jobs::Rank{3}, jobs::Incarnation{4}};
  const jobs::RankId second{jobs::JobId{1}, jobs::Rank{3}, jobs::Incarnation{9}};
  const auto hears_first = voices.listen(first);
  hears_first("one\n", true);
  const auto kept = voices.of(first);
  ASSERT_NE(kept, nullptr);
  const auto hears_second = voices.listen(second);
  hears_first("two\n", true);  // its last words may come after its successor's start
  hears_second("new\n", true);
  EXPECT_EQ(voices.of(first), nullptr);
  EXPECT_EQ(kept->errors(), "one\ntwo\n");
  EXPECT_EQ(voices.of(second)->errors(), "new\n");
}

TEST(LastLines, AreThoseThatAPersonWouldSee) {
  EXPECT_EQ(last_lines_of("", 3), Lines{});
  EXPECT_EQ(last_lines_of("a\nb\nc\nd\n", 3), (Lines{"b", "c", "d"}));
  EXPECT_EQ(last_lines_of("a\r\nb\n\nc", 5), (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(last_lines_of("a\n\n\n", 5), Lines{"a"});
  EXPECT_EQ(last_lines_of("10%\r20%\r", 1), Lines{"20%"});
  EXPECT_EQ(last_lines_of("\x1b[1;31mred\x1b[0m \x07"
                          "bell\x1b[",
                          1),
            Lines{"red bell"});
  EXPECT_EQ(last_lines_of(std::string(1000, 'x'), 1).front().size(), 303u);
}

TEST(TracebackEnd, IsWhatWasRaised) {
  EXPECT_EQ(traceback_end(last_lines_of("Traceback (most recent call last):\n"
                                        "  File \"t.py\", line 3, in <module>\n"
                                        "    f()\n"
                                        "  File \"t.py\", line 2, in f\n"
                                        "    raise ValueError('no')\n"
                                        "ValueError: no\n"
                                        "some thread's last words\n",
                                        10)),
            "ValueError: no");
  EXPECT_EQ(traceback_end({"error: no such file"}), "");
  EXPECT_EQ(traceback_end({"  File \"t.py\", line 3", "    f()"}), "");
  EXPECT_EQ(traceback_end({}), "");
}

}  // namespace
}  // namespace ringmaster::launcher

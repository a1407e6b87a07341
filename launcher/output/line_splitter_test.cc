// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/line_splitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace ringmaster::launcher {
namespace {

using Ends = LineSplitter::Ends;

std::string feed_all(LineSplitter& splitter, const std::vector<std::string>& portions) {
  std::string out;
  for (const auto& portion : portions) splitter.feed(portion, out);
  return out;
}

TEST(LineSplitter, holds_a_partial_line_until_its_end_or_the_flush) {
  LineSplitter splitter("[3] ");
  std::string out = feed_all(splitter, {"lo", "ss 1\nlo"});
  EXPECT_EQ(out, "[3] loss 1\n");
  EXPECT_TRUE(splitter.has_partial());
  splitter.flush(out);
  EXPECT_EQ(out, "[3] loss 1\n[3] lo");
  EXPECT_TRUE(splitter.in_line());
  splitter.feed("ss 2\n", out);
  EXPECT_EQ(out, "[3] loss 1\n[3] loss 2\n") << "the prefix is not repeated in the line";
  EXPECT_FALSE(splitter.in_line());
}

TEST(LineSplitter, flushing_nothing_says_nothing) {
  LineSplitter splitter("[0] ");
  std::string out;
  splitter.flush(out);
  splitter.feed("", out);
  EXPECT_EQ(out, "");
}

TEST(LineSplitter, empty_lines_have_a_prefix_too) {
  LineSplitter splitter("> ");
  EXPECT_EQ(feed_all(splitter, {"\n\na\n"}), "> \n> \n> a\n");
}

TEST(LineSplitter, a_return_is_plain_text_in_a_file) {
  LineSplitter splitter("> ");
  EXPECT_EQ(feed_all(splitter, {"10%\r20%\r\n"}), "> 10%\r20%\r\n");
}

TEST(LineSplitter, a_return_ends_a_line_on_a_terminal) {
  LineSplitter splitter("> ", Ends::newline_or_return);
  EXPECT_EQ(feed_all(splitter, {"10%\r20%\rdone\n"}), "> 10%\r> 20%\r> done\n");
}

TEST(LineSplitter, return_and_newline_are_one_end_even_when_cut_between) {
  LineSplitter whole("> ", Ends::newline_or_return);
  EXPECT_EQ(feed_all(whole, {"a\r\nb\r\n"}), "> a\r\n> b\r\n");
  LineSplitter cut("> ", Ends::newline_or_return);
  std::string out = feed_all(cut, {"a\r", "\nb\r"});
  EXPECT_EQ(out, "> a\r\n") << "the last return waits for what follows";
  cut.flush(out);
  cut.feed("\nc\n", out);
  EXPECT_EQ(out, "> a\r\n> b\r\n> c\n");
}

TEST(LineSplitter, a_long_line_goes_out_in_pieces_with_one_prefix) {
  LineSplitter splitter("[1] ");
  const std::string line(3 * LineSplitter::kLineMax + 17, 'x');
  std::string out;
  splitter.feed(line, out);
  EXPECT_EQ(out.size(), 4 + 3 * LineSplitter::kLineMax) << "all but the last piece is out";
  splitter.feed("\n", out);
  EXPECT_EQ(out, "[1] " + line + "\n");
}

TEST(LineSplitter, a_line_of_exactly_the_limit_is_one_line) {
  for (const std::size_t length : {LineSplitter::kLineMax - 1, LineSplitter::kLineMax}) {
    LineSplitter splitter("> ");
    const std::string text(length, 'x');
    EXPECT_EQ(feed_all(splitter, {text + "\n", "y\n"}), "> " + text + "\n> y\n");
  }
}

/// Text of short lines, now and then one above the limit, with returns at bad places.
std::string random_text(Random& random) {
  std::string text;
  for (std::uint64_t i = 0, lines = random.below(30); i < lines; ++i) {
    const bool is_long = random.chance(0.05);
    text += std::string(random.below(is_long ? 3 * LineSplitter::kLineMax : 20), 'x');
    const char* ends[] = {"\n", "\r", "\r\n", "\n\r", "", "\r\r\n"};
    text += ends[random.below(6)];
  }
  return text;
}

std::string split_at_random(const std::string& text, LineSplitter splitter, Random& random,
                            double flushes) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t wanted = 1 + random.below(random.chance(0.1) ? 100'000 : 7);
    const std::size_t n = std::min(wanted, text.size() - at);
    std::string_view left = std::string_view(text).substr(at, n);
    const std::string_view whole = splitter.pass(left, out);
    EXPECT_TRUE(whole.empty() || whole.back() == '\n');
    out += whole;
    splitter.feed(left, out);
    if (random.chance(flushes)) splitter.flush(out);
    at += n;
  }
  splitter.flush(out);
  return out;
}

TEST(LineSplitter, any_portions_and_any_flushes_give_the_same_bytes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const std::string text = random_text(random);
    for (const auto ends : {Ends::newline, Ends::newline_or_return}) {
      LineSplitter at_once("[7] ", ends);
      std::string expected;
      at_once.feed(text, expected);
      at_once.flush(expected);
      const LineSplitter fresh("[7] ", ends);
      ASSERT_EQ(split_at_random(text, fresh, random, 0), expected) << "seed " << seed;
      ASSERT_EQ(split_at_random(text, fresh, random, 0.3), expected) << "seed " << seed;
      ASSERT_EQ(split_at_random(text, LineSplitter("", ends), random, 0.1), text)
          << "seed " << seed;
    }
  }
}

TEST(LineSplitter, what_goes_out_without_a_flush_is_whole_lines) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    LineSplitter splitter("", Ends::newline);
    for (int i = 0; i < 20; ++i) {
      std::string out;
      splitter.feed(random_text(random), out);
      if (out.empty()) continue;
      ASSERT_EQ(splitter.in_line(), out.back() != '\n') << "seed " << seed;
      if (!splitter.in_line()) continue;
      ASSERT_LE(LineSplitter::kLineMax, out.size()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// The cases, changed: what must change no answer changes none, and whatever else is done to them,
// an answer or a refusal comes back soon, and no host has a stray character.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "base/sanitized.h"
#include "launcher/hostlist/check_list.h"
#include "tests/hostlists/list_cases.h"

namespace ringmaster::hostlists {
namespace {

using namespace launcher::hostlist;

constexpr std::size_t kLongLine = 100'000;
constexpr int kMutations = 2000;

constexpr int kManyLines = kSanitized ? 50'000 : 1'000'000;

std::size_t place_in_text(const std::string& text, Random& random) {
  return static_cast<std::size_t>(random.below(text.size() + 1));
}

/// Puts `what` in the place of a number of the text, or anywhere.
void put_number(std::string& text, std::string_view what, Random& random) {
  const std::size_t digit = text.find_first_of("0123456789", place_in_text(text, random));
  if (digit == std::string::npos) {
    text.insert(place_in_text(text, random), what);
    return;
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
  text.replace(digit, end - digit, what);
}

void damage(std::string& text, Random& random) {
  constexpr std::array<std::string_view, 8> kNumbers = {
      "99999999999", "18446744073709551616", "2147483648", "-1", "+1", "-0", "1e9", "0x10"};
  constexpr std::array<std::string_view, 10> kBytes = {std::string_view("\0", 1),
                                                       "\xef\xbb\xbf",
                                                       "\xc2\xa0",
                                                       "\r",
                                                       "\x7f",
                                                       "\xff",
                                                       "$(x)",
                                                       ";",
                                                       "'",
                                                       "\x1b[31m"};
  switch (random.below(5)) {
    case 0:
      return put_number(text, kNumbers[random.below(kNumbers.size())], random);
    case 1: {
      const bool at_start = random.chance(0.3);
      text.insert(at_start ? 0 : place_in_text(text, random), kBytes[random.below(kBytes.size())]);
      return;
    }
    case 2:
      text.insert(place_in_text(text, random), kLongLine, "a9[,:# "[random.below(7)]);
      return;
    case 3:
      text.erase(place_in_text(text, random), random.below(8));
      return;
    case 4:
      text.insert(place_in_text(text, random), text.substr(place_in_text(text, random)));
      return;
  }
}

TEST(HostListMutations, DamageIsRefusedOrReadNeverHalf) {
  Random random(20260101);
  int refused = 0;
  for (int i = 0; i < kMutations; ++i) {
    const ListCase& one = own_cases()[random.below(own_cases().size())];
    Question question = one.question();
    Source* source = &question.list;
    if (question.second && random.chance(0.5)) source = &*question.second;
    if (question.args && random.chance(0.5)) source = &*question.args;
    if (question.tasks && random.chance(0.5)) source = &*question.tasks;
    damage(source->text, random);
    const Format& format = random.chance(0.8) ? one.format() : formats()[random.below(15)];
    SCOPED_TRACE(one.id);
    const auto result = read_host_list(format, question);
    check_answer(result);
    refused += result ? 0 : 1;
  }
  EXPECT_LT(kMutations / 4, refused);
  EXPECT_LT(refused, kMutations) << "some damage is harmless";
}

/// What a format lets a writer do without meaning anything.
struct Freedom {
  bool lines = true;      // blank lines, blanks around lines, CRLF
  bool comments = false;  // a line that begins with '#'
};

Freedom freedom_of(std::string_view format) {
  const bool comments = format == "openmpi" || format == "hydra" || format == "deepspeed" ||
                        format == "horovod-hostfile" || format == "lsf-user" ||
                        format == "rankfile" || format == "user-host-port";
  return {.lines = true, .comments = comments};
}

std::string written_freely(const std::string& text, const Freedom& freedom, Random& random) {
  std::string result;
  std::string_view rest = text;
  const bool crlf = random.chance(0.3);
  bool in_comment = false;  // of several lines
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool crlf_already = line.ends_with('\r');
    if (random.chance(0.3)) result += random.chance(0.5) ? "\n" : " \t \n";
    if (freedom.comments && !in_comment && random.chance(0.3)) result += "  # n9 slots=9:9\n";
    if (line.find("/*") != std::string_view::npos) in_comment = true;
    if (line.find("*/") != std::string_view::npos) in_comment = false;
    if (random.chance(0.3)) result += random.chance(0.5) ? "  " : "\t";
    result += line;
    if (random.chance(0.3) && !crlf_already) result += " \t";
    if (crlf && !crlf_already) result += '\r';
    if (!rest.empty() || random.chance(0.7)) result += '\n';
  }
  return result;
}

TEST(HostListMutations, WhatMeansNothingChangesNothing) {
  Random random(20260102);
  for (const ListCase& one : own_cases()) {
    const Question plain = one.question();
    const std::string answer = answer_of(read_host_list(one.format(), plain));
    if (answer == "ERROR") continue;
    for (int i = 0; i < 20; ++i) {
      Question question = plain;
      const Freedom freedom = freedom_of(one.format().name);
      question.list.text = written_freely(plain.list.text, freedom, random);
      if (question.second) {
        question.second->text = written_freely(plain.second->text, {.comments = true}, random);
      }
      const auto again = read_host_list(one.format(), question);
      EXPECT_EQ(answer_of(again), answer)
          << one.id << "\n"
          << question.list.text << (again ? "" : again.error().message());
    }
  }
}

/// A line for each format of many lines; {} is the line's number.
struct ManyLines {
  std::string_view format, line;
};

// Seconds. Where time grew with the square of the lines, this would end at its deadline.
TEST(HostListMutations, AMillionLinesAreRead) {
  const std::vector<ManyLines> kinds = {
      {"openmpi", "host{} slots=4\n"}, {"pbs", "host{}\n"}, {"rankfile", "rank {}=host slot=0\n"}};
  for (const ManyLines& kind : kinds) {
    std::string text;
    for (int i = 0; i < kManyLines; ++i) text += fmt::format(fmt::runtime(kind.line), i);
    const Question question{.list = {"list", std::move(text)}};
    const auto result = read_host_list(*find_format(kind.format), question);
    ASSERT_TRUE(result.ok()) << kind.format << ": " << result.error().message();
    check_list(*result);
    EXPECT_EQ(std::max(result->hosts.size(), result->ranks.size()),
              static_cast<std::size_t>(kManyLines));
  }
}

TEST(HostListMutations, WhatIsTooLargeIsRefusedBeforeItIsMade) {
  const auto refuses = [](std::string_view format, std::string text, std::string_view why) {
    const auto result = read_host_list(*find_format(format), {.list = {"list", std::move(text)}});
    ASSERT_FALSE(result.ok());
    check_answer(result);
    EXPECT_NE(result.error().why.find(why), std::string::npos) << result.error().message();
  };
  std::string ranges = "n[0-65535";
  for (int i = 0; i < 20; ++i) ranges += ",0-65535";
  refuses("slurm", ranges + "]", "more than 1048576 hosts");
  // All but the last of these are made; a sanitizer takes 15 s for them.
  std::string names;
  for (int i = 0; i < 17; ++i) names += "n[0-65535],";
  if (kManyLines == 1'000'000) refuses("slurm", names, "more than 1048576 hosts");
  refuses("openmpi", std::string(kTextMax + 1, ' '), "bytes, at most");
  refuses("openmpi", std::string(kLongLine, 'a') + " slots=1\n", "a host name of 100000 bytes");
  refuses("auto", std::string(4 * kLongLine, '@'), "more than one '@'");
}

}  // namespace
}  // namespace ringmaster::hostlists

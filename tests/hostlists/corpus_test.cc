// SPDX-License-Identifier: Apache-2.0
//
// Host lists of every launcher with the answers that are right: our own table, and the collection
// of cases that may stand beside the checkout.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "launcher/hostlist/check_list.h"
#include "tests/hostlists/list_cases.h"

namespace ringmaster::hostlists {
namespace {

using namespace launcher::hostlist;

void expect_answer(const ListCase& one) {
  const auto result = read_host_list(one.format(), one.question());
  check_answer(result);
  EXPECT_TRUE(one.accepts(answer_of(result)))
      << one.id << " " << one.syntax << "\n"
      << one.input << "\ngives " << answer_of(result) << "\nnot   " << one.expected << "\n"
      << (result ? "" : result.error().message());
}

TEST(HostListCases, OurOwnHaveTheirAnswers) {
  for (const ListCase& one : own_cases()) expect_answer(one);
}

TEST(HostListCases, RefusalsOfOurOwnSayWhatIsWrongAndWhere) {
  for (const ListCase& one : own_cases()) {
    if (one.expected != "ERROR") continue;
    const auto result = read_host_list(one.format(), one.question());
    ASSERT_FALSE(result.ok()) << one.id;
    ASSERT_FALSE(one.remark.empty()) << one.id << " does not say what the refusal says";
    EXPECT_NE(result.error().message().find(one.remark), std::string::npos)
        << one.id << ": " << result.error().message();
  }
}

TEST(HostListCases, OurOwnHaveEveryFormatBothWays) {
  std::set<std::string_view> read, refused;
  for (const ListCase& one : own_cases()) {
    (one.expected == "ERROR" ? refused : read).insert(one.format().name);
  }
  for (const Format& format : formats()) {
    EXPECT_TRUE(read.contains(format.name)) << format.name;
    EXPECT_TRUE(refused.contains(format.name) || format.name == "lsf") << format.name;
  }
}

TEST(HostListCases, ThoseBesideTheCheckoutHaveTheirAnswers) {
  const std::string path = RINGMASTER_SOURCE_DIR "/../shared/data/hostlists/cases.tsv";
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) GTEST_SKIP() << "no collection of host lists beside this checkout";
  const auto cases = parse_cases(text.str());
  EXPECT_LE(80U, cases.size());
  for (const ListCase& one : cases) {
    expect_answer(one);
    if (one.expected != "ERROR") continue;
    const auto result = read_host_list(one.format(), one.question());
    ASSERT_FALSE(result.ok()) << one.id;
    const ListError& error = result.error();
    EXPECT_FALSE(error.file.empty()) << one.id << ": " << error.message();
    // Only a list that says nothing at all has no line to name.
    const bool says_nothing = error.why == "it names no host";
    EXPECT_TRUE(says_nothing || (error.line > 0 && !error.entry.empty()))
        << one.id << ": " << error.message();
  }
}

}  // namespace
}  // namespace ringmaster::hostlists

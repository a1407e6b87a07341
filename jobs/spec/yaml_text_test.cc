// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/yaml_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "jobs/spec/random_job_file.h"
#include "jobs/spec/yaml_tree.h"

namespace ringmaster::jobs {
namespace {

TEST(YamlText, WordsThatYamlTakesForSomethingElseAreSurprises) {
  for (const char* word :
       {"no",    "No",     "NO",    "yes",        "on",    "off",      "true",
        "FALSE", "y",      "N",     "null",       "Null",  "~",        "",
        ".inf",  "-.Inf",  ".nan",  "0777",       "00",    "-010",     "0x1F",
        "0o17",  "0b101",  "1_000", "1_0.5",      "12:30", "12:30:00", "1e3",
        "-1E9",  "1.5e-3", ".5e1",  "+1",         "1.",    ".5",       "-.5",
        "007.5", "=",      "<<",    "2026-11-30", "0_1",   "+1.5",     "2026-1-3T10:00:00"}) {
    EXPECT_NE(surprise_of(word), "") << word;
  }
  for (const char* word : {"0",
                           "1",
                           "-1",
                           "12",
                           "1.5",
                           "-0.5",
                           "0.10",
                           "1GiB",
                           "1.2.3",
                           "nope",
                           "one",
                           "a:b",
                           "run-2026-11-30",
                           "e3",
                           "0x",
                           "x0777",
                           "10.0.0.7:7001",
                           "--no",
                           "12:30:00:x",
                           "-",
                           "n1",
                           "nulls"}) {
    EXPECT_EQ(surprise_of(word), "") << word;
  }
}

TEST(YamlText, SafeWordsStayPlain) {
  for (const char* word :
       {"python", "--model", "-n", "train.py", "/data/x", "1.5", "4", "a=b", "x@y", "50%", "_x"}) {
    EXPECT_EQ(yaml_word(word), word);
  }
  EXPECT_EQ(yaml_word(""), "\"\"");
  EXPECT_EQ(yaml_word("no"), "\"no\"");
  EXPECT_EQ(yaml_word("---"), "\"---\"");
  EXPECT_EQ(yaml_word("a\n\"b\"\\\x01"), "\"a\\n\\\"b\\\"\\\\\\x01\"");
  EXPECT_EQ(yaml_word("\xc3\xa9\xc2\x85\xe2\x80\xa8"), "\"\xc3\xa9\\x85\\u2028\"");
}

TEST(YamlText, FindsTheFirstByteThatIsNoUtf8) {
  EXPECT_FALSE(find_invalid_utf8("plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x90\x8e"));
  for (const char* bad : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf0\x9f\x90", "\x80"}) {
    EXPECT_EQ(find_invalid_utf8(std::string("ab") + bad + "c"), 2U) << testing::PrintToString(bad);
  }
}

TEST(YamlText, AnyTextComesBackAsItWasWritten) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const std::string text = random_text(random, 40);
    for (const char* shape : {"{}\n", "[{}, b]\n", "{{a: {}}}\n", "a: {}\n"}) {
      const auto tree = parse_yaml_tree(fmt::format(fmt::runtime(shape), yaml_word(text)));
      ASSERT_TRUE(tree.ok()) << "seed " << seed << ": " << tree.error().message();
      const YamlNode& node = tree->children.empty() ? *tree : tree->children.front();
      ASSERT_EQ(node.text, text) << "seed " << seed;
      ASSERT_TRUE(node.quoted || surprise_of(node.text).empty()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ringmaster::jobs

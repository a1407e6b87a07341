// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringmaster::launcher::hostlist {
namespace {

/// "1:alpha 3:beta", the lines that say something.
std::string spoken(std::string_view text, Lines::Comments comments) {
  std::string all;
  Lines lines(text, comments);
  while (const auto line = lines.next()) {
    all += fmt::format("{}{}:{}", all.empty() ? "" : " ", line->number, line->text);
  }
  return all;
}

TEST(HostListText, LinesKeepTheirNumbers) {
  using enum Lines::Comments;
  EXPECT_EQ(spoken("a\n\n \t\n  b \n", none), "1:a 4:b");
  EXPECT_EQ(spoken("a\r\nb\r\n\r\n", none), "1:a 2:b");
  EXPECT_EQ(spoken("a # x\n# y\nb", hash), "1:a 3:b");
  EXPECT_EQ(spoken("a # x\n# y\nb", none), "1:a # x 2:# y 3:b");
  EXPECT_EQ(spoken("", hash), "");
  EXPECT_EQ(spoken("a\rb", none), "1:a\rb");
}

TEST(HostListText, OnlySpacesAndTabsAreBlanks) {
  EXPECT_EQ(words(" a\t b "), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(words("a\vb\xc2\xa0"), (std::vector<std::string_view>{"a\vb\xc2\xa0"}));
  EXPECT_TRUE(words(" \t").empty());
  EXPECT_EQ(fields("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(fields("", ','), (std::vector<std::string_view>{""}));
}

TEST(HostListText, CommentsBecomeSpaces) {
  EXPECT_EQ(*without_comments("a // b\n/* c\n*/d#e", "f"), "a     \n    \n  d  ");
  EXPECT_EQ(*without_comments("a / b", "f"), "a / b");
  const auto open = without_comments("a\nb /* c\nd", "f");
  ASSERT_FALSE(open.ok());
  EXPECT_EQ(open.error().line, 2);
  EXPECT_EQ(open.error().entry, "/* c");
}

TEST(HostListText, AValueIsOneLine) {
  EXPECT_EQ(only_line("\n a \n\n", "f")->text, "a");
  EXPECT_EQ(only_line(" \n", "f")->text, "");
  EXPECT_EQ(only_line("a\nb", "f").error().line, 2);
}

}  // namespace
}  // namespace ringmaster::launcher::hostlist

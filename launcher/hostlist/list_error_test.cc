// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/list_error.h"

#include <gtest/gtest.h>

#include "launcher/hostlist/list_text.h"

namespace ringmaster::launcher::hostlist {
namespace {

TEST(HostListError, SaysFileLineAndEntry) {
  const ListError bare = refusal("why", "what to try");
  EXPECT_EQ(bare.message(), "why");
  const ListError error = bare.at({"hosts", 3, "n1 x"});
  EXPECT_EQ(error.message(), "hosts:3: \"n1 x\": why");
  EXPECT_EQ(error.as_error().message, "hosts:3: \"n1 x\": why (what to try)");
  EXPECT_EQ(bare.at({.file = "hosts"}).message(), "hosts: why");
}

TEST(HostListError, QuotesWhatCannotBeSeen) {
  EXPECT_EQ(in_quotes("a\tb\r\n"), "\"a\\tb\\r\\n\"");
  EXPECT_EQ(in_quotes(std::string_view("\0\x1b\xc2\xa0", 4)), "\"\\x00\\x1b\\xc2\\xa0\"");
  EXPECT_EQ(in_quotes("say \"a\\b\""), "\"say \\\"a\\\\b\\\"\"");
  EXPECT_EQ(in_quotes(std::string(70, 'x')), "\"" + std::string(60, 'x') + "\"..");
}

TEST(HostListError, StaysOnOneLineWhateverTheFileIsCalled) {
  EXPECT_EQ(refusal("why").at({.file = "a\nb"}).message(), "\"a\\nb\": why");
  EXPECT_EQ(on_one_line("h\xc3\xb4tes"), "h\xc3\xb4tes");
}

TEST(HostListError, IsAnObjectForPrograms) {
  EXPECT_EQ(list_error_json(refusal("why", "try").at({"hosts", 3, "n1"})),
            R"({"error":{"code":"invalid","message":"hosts:3: \"n1\": why","hint":"try",)"
            R"("file":"hosts","line":3,"entry":"n1"}})");
  EXPECT_EQ(list_error_json(refusal("why")),
            R"({"error":{"code":"invalid","message":"why","hint":""}})");
}

}  // namespace
}  // namespace ringmaster::launcher::hostlist

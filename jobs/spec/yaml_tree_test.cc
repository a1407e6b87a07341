// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/yaml_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "jobs/spec/yaml_events.h"

namespace ringmaster::jobs {
namespace {

/// The tree on one line: every value with its place, and q for quoted.
std::string drawn(const YamlNode& node) {
  std::string text;
  if (!node.key.empty()) {
    text = fmt::format("{}{}@{}:{}=", node.key, node.key_quoted ? "q" : "", node.key_place.line,
                       node.key_place.column);
  }
  std::string below;
  for (const YamlNode& child : node.children) below += (below.empty() ? "" : " ") + drawn(child);
  switch (node.kind) {
    case YamlNode::Kind::scalar:
      text += fmt::format("<{}>{}", node.text, node.quoted ? "q" : "");
      break;
    case YamlNode::Kind::nothing:
      text += "nothing";
      break;
    case YamlNode::Kind::list:
      text += "[" + below + "]";
      break;
    case YamlNode::Kind::map:
      text += "{" + below + "}";
      break;
  }
  return fmt::format("{}@{}:{}", text, node.place.line, node.place.column);
}

std::string drawn(std::string_view text) {
  const auto tree = parse_yaml_tree(text);
  return tree ? drawn(*tree) : tree.error().message();
}

TEST(YamlTree, KeepsPlacesAndQuotes) {
  EXPECT_EQ(drawn("a: 1\nb: ['x', \"y\", z]\n"),
            "{a@1:1=<1>@1:4 b@2:1=[<x>q@2:5 <y>q@2:10 <z>@2:15]@2:4}@1:1");
  EXPECT_EQ(drawn("---\na:\n  - {\"b\": }\n...\n"), "{a@2:1=[{bq@3:6=nothing@3:6}@3:5]@3:3}@2:1");
  EXPECT_EQ(drawn("a: |\n  x\n  y\n"), "{a@1:1=<x\ny\n>q@1:4}@1:1");
}

TEST(YamlTree, AnEmptyValueStandsAtItsKey) {
  EXPECT_EQ(drawn("a:\n\nnull_b: 1\n"), "{a@1:1=nothing@1:1 null_b@3:1=<1>@3:9}@1:1");
  EXPECT_EQ(drawn("a:\n  ~\nb: null\n"), "{a@1:1=nothing@2:3 b@3:1=nothing@3:4}@1:1");
}

TEST(YamlTree, ColumnsCountCharacters) {
  EXPECT_EQ(drawn("\xc3\xa9: \xf0\x9f\x90\x8e\nb: 1\n"),
            "{\xc3\xa9@1:1=<\xf0\x9f\x90\x8e>@1:4 b@2:1=<1>@2:4}@1:1");
  EXPECT_EQ(drawn("{\xc3\xa9: 1, b: 2}"), "{\xc3\xa9@1:2=<1>@1:5 b@1:8=<2>@1:11}@1:1");
  EXPECT_EQ(drawn("\xef\xbb\xbf"
                  "a: 1\r\nb: 2\r\n"),
            "{a@1:1=<1>@1:4 b@2:1=<2>@2:4}@1:1");
}

TEST(YamlTree, NestingHasABound) {
  const std::string deep(kSpecDepthMax, '['), deeper(kSpecDepthMax + 1, '[');
  const std::string ends(kSpecDepthMax, ']');
  EXPECT_TRUE(parse_yaml_tree(deep + ends).ok());
  EXPECT_EQ(drawn(deeper + ends + "]"),
            ":1:9: YAML: lists and maps are nested too deep (at most 8 deep)");
  for (const char* part : {"[", "{", "- ", "? ", "{a: ", "[[], "}) {
    std::string text;
    while (text.size() + 8 < kSpecBytesMax) text += part;
    EXPECT_FALSE(parse_yaml_tree(text).ok()) << part;
  }
}

TEST(YamlTree, ATextHasABound) {
  const std::string line = "a: 1\n#";
  EXPECT_TRUE(parse_yaml_tree(line + std::string(kSpecBytesMax - line.size(), '#')).ok());
  EXPECT_EQ(drawn(line + std::string(kSpecBytesMax - line.size() + 1, '#')),
            ":1:1: YAML: 65537 bytes are too long for a spec (it takes at most 65536)");
}

}  // namespace
}  // namespace ringmaster::jobs

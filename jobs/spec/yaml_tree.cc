// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/yaml_tree.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "jobs/spec/yaml_events.h"

namespace ringmaster::jobs {

namespace {

using Trouble = std::optional<SpecError>;

/// Walks over the events once; a recursion is as deep as they are nested, which has a bound.
class Builder {
 public:
  Builder(std::string_view text, const std::vector<YamlEvent>& events)
      : text_(text), places_(text), events_(events) {}

  SpecResult<YamlNode> run() {
    YamlNode root;
    if (const Trouble bad = read_value(&root)) return *bad;
    CHECK_EQ(at_, events_.size());
    return root;
  }

 private:
  const YamlEvent& next() {
    CHECK_LT(at_, events_.size());
    return events_[at_++];
  }
  bool take_end(YamlEventKind end) {
    CHECK_LT(at_, events_.size());
    if (events_[at_].kind != end) return false;
    ++at_;
    return true;
  }
  /// An empty value has no place of its own: the library gives it that of what follows.
  bool is_written(const YamlEvent& event) const {
    const std::string_view rest = text_.substr(event.offset);
    const bool taken = at_ < events_.size() && events_[at_].offset == event.offset &&
                       events_[at_].kind != YamlEventKind::map_end &&
                       events_[at_].kind != YamlEventKind::list_end;
    return !taken && (rest.starts_with('~') || rest.starts_with("null") ||
                      rest.starts_with("Null") || rest.starts_with("NULL"));
  }

  /// Fills in `node`, whose key is known already.
  Trouble read_value(YamlNode* node) {
    const YamlEvent& event = next();
    node->place = places_.of(event.offset);
    switch (event.kind) {
      case YamlEventKind::scalar:
        node->kind = YamlNode::Kind::scalar;
        node->text = event.text;
        node->quoted = event.quoted;
        return {};
      case YamlEventKind::nothing:
        node->kind = YamlNode::Kind::nothing;
        if (!is_written(event) && !node->key.empty()) node->place = node->key_place;
        return {};
      case YamlEventKind::list_start:
        return read_list(node);
      case YamlEventKind::map_start:
        return read_map(node);
      case YamlEventKind::list_end:
      case YamlEventKind::map_end:
        break;
    }
    check_failed(__FILE__, __LINE__, "an end without a start");
  }
  Trouble read_list(YamlNode* node) {
    node->kind = YamlNode::Kind::list;
    while (!take_end(YamlEventKind::list_end)) {
      node->children.emplace_back();
      if (Trouble bad = read_value(&node->children.back())) return bad;
    }
    return {};
  }
  Trouble read_map(YamlNode* node) {
    node->kind = YamlNode::Kind::map;
    std::map<std::string, Place> seen;
    while (!take_end(YamlEventKind::map_end)) {
      const YamlEvent& key = next();
      const Place place = places_.of(key.offset);
      if (key.kind != YamlEventKind::scalar) {
        return SpecError{.place = place,
                         .what = "YAML",
                         .why = "a key is one word",
                         .hint = "quote it if it is meant as a word"};
      }
      const auto [first, is_new] = seen.emplace(key.text, place);
      if (!is_new) {
        return SpecError{
            .place = place,
            .what = shown(key.text),
            .why = fmt::format("the key stands on line {} already", first->second.line),
            .hint = "keep one of them"};
      }
      node->children.push_back({.key = key.text, .key_place = place, .key_quoted = key.quoted});
      if (Trouble bad = read_value(&node->children.back())) return bad;
    }
    return {};
  }

  std::string_view text_;
  Places places_;
  const std::vector<YamlEvent>& events_;
  std::size_t at_ = 0;
};

}  // namespace

SpecResult<YamlNode> parse_yaml_tree(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // some editors' mark of UTF-8
  const auto events = read_yaml_events(text);
  if (!events) return events.error();
  return Builder(text, *events).run();
}

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/job_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/settings.h"
#include "jobs/spec/fields.h"
#include "jobs/spec/scalars.h"
#include "jobs/spec/yaml_events.h"
#include "jobs/spec/yaml_tree.h"

namespace ringmaster::jobs {

namespace {

using Kind = YamlNode::Kind;

bool takes_keys(const Field& field) {
  return field.takes == Takes::keys || field.takes == Takes::each;
}

/// Reads a tree into a JobFile, guided by the table of fields.
class Reader {
 public:
  SpecResult<JobFile> run(const YamlNode& root) {
    places_[""] = root.place;
    if (root.kind != Kind::map) {
      return SpecError{.place = root.place,
                       .what = "spec",
                       .why = "it is no map of keys",
                       .hint = "write lines such as name: my-job"};
    }
    if (const Trouble bad = read_keys(root, "")) return *bad;
    for (const Field& field : fields()) {
      if (const Trouble bad = fill_in(field)) return *bad;
    }
    if (const Trouble bad = check_ranks()) return *bad;
    return std::move(file_);
  }

 private:
  Trouble read_keys(const YamlNode& map, std::string_view parent) {
    for (const YamlNode& child : map.children) {
      const std::string name = parent.empty() ? child.key : fmt::format("{}.{}", parent, child.key);
      if (is_planned_field(name)) {
        return SpecError{.place = child.key_place,
                         .what = name,
                         .why = "it is not built yet",
                         .hint = "leave it out"};
      }
      const Field* field = find_field(name);
      const bool known = field != nullptr && parent_of(name) == parent;
      if (!known) return unknown_key(child, parent);
      if (Trouble bad = read_field(child, *field)) return bad;
    }
    return {};
  }

  Trouble read_field(const YamlNode& node, const Field& field) {
    places_[field.name] = node.place;
    if (!takes_keys(field)) return read_value(node, field, field.name, field.target(file_));
    if (field.takes == Takes::each && node.kind == Kind::scalar) return read_each(node, field);
    if (node.kind != Kind::map) {
      return SpecError{.place = node.place,
                       .what = std::string(field.name),
                       .why = node.kind == Kind::nothing ? "there is no value" : "it is no map",
                       .hint = "it takes " + takes_text(field)};
    }
    make(field);
    return read_keys(node, field.name);
  }

  /// One value for all keys below `group`.
  Trouble read_each(const YamlNode& node, const Field& group) {
    for (const Field& field : fields()) {
      if (parent_of(field.name) != group.name) continue;
      places_[field.name] = node.place;
      if (Trouble bad = read_value(node, field, group.name, field.target(file_))) return bad;
    }
    return {};
  }

  /// A map that is there makes what its keys go into.
  void make(const Field& field) {
    const Target target = field.target(file_);
    if (auto* const* policy = std::get_if<std::optional<CheckpointPolicy>*>(&target)) {
      (*policy)->emplace();
    }
  }

  SpecError unknown_key(const YamlNode& node, std::string_view parent) {
    Words here;
    std::string elsewhere;
    const auto look_at = [&](std::string_view name) {
      if (parent_of(name) == parent) {
        here.emplace_back(last_part(name));
      } else if (last_part(name) == node.key && elsewhere.empty()) {
        elsewhere = parent_of(name);
      }
    };
    for (const Field& field : fields()) look_at(field.name);
    const Words built = here;
    for (const PlannedField& field : planned_fields()) look_at(field.name);
    const std::string near = suggest(node.key, here);
    std::string hint = fmt::format("the keys are {}", fmt::join(built, ", "));
    if (!near.empty()) {
      hint = fmt::format("did you mean {}?", near);
    } else if (!elsewhere.empty()) {
      hint = fmt::format("it belongs into {}", elsewhere);
    }
    const std::string what =
        parent.empty() ? shown(node.key) : fmt::format("{}.{}", parent, shown(node.key));
    return {.place = node.key_place, .what = what, .why = "there is no such key", .hint = hint};
  }

  /// The default of a field that was left out.
  Trouble fill_in(const Field& field) {
    if (places_.contains(field.name) || field.otherwise.empty()) return {};
    const std::string_view parent = parent_of(field.name);
    const Field* group = parent.empty() ? nullptr : find_field(parent);
    const bool made_only_if_there = group != nullptr && group->target(file_).index() != 0;
    if (made_only_if_there && !places_.contains(parent)) return {};
    if (field.otherwise == kRequired) {
      const auto at = places_.find(parent);
      return SpecError{.place = at == places_.end() ? places_[""] : at->second,
                       .what = std::string(field.name),
                       .why = "it is missing",
                       .hint = "it takes " + takes_text(field)};
    }
    const Target target = field.target(file_);
    const Field* other = field.takes == Takes::number ? find_field(field.otherwise) : nullptr;
    if (other != nullptr) {
      const int value = *std::get<int*>(other->target(file_));
      *std::get<int*>(target) = static_cast<int>(std::min<std::int64_t>(value, field.high));
      return {};
    }
    const YamlNode written = {.kind = Kind::scalar, .text = std::string(field.otherwise)};
    const Trouble bad = read_value(written, field, field.name, target);
    CHECK(!bad);
    return {};
  }

  Trouble check_ranks() const {
    const int least = file_.spec.ranks_min, most = file_.spec.ranks_max;
    const std::int64_t room = std::int64_t{file_.hosts} * file_.slots;
    if (least > most) {
      return SpecError{.place = places_.at("ranks.min"),
                       .what = "ranks.min",
                       .why = fmt::format("{} is more than ranks.max, which is {}", least, most),
                       .hint = "the least comes first: {min: 2, max: 4}"};
    }
    if (most <= room) return {};
    const std::string least_too =
        least > room ? fmt::format(", not even the least, {}", least) : "";
    return SpecError{.place = places_.at("ranks.max"),
                     .what = "ranks.max",
                     .why = fmt::format("{} ranks do not fit into {} x {} slots{}", most,
                                        file_.hosts, file_.slots, least_too),
                     .hint = "raise local.hosts or local.slots, or lower ranks.max"};
  }

  JobFile file_;
  std::map<std::string_view, Place> places_;  // of the values that were given; "" is the spec's
};

SpecResult<JobFile> parse(std::string_view text) {
  const auto tree = parse_yaml_tree(text);
  if (!tree) return tree.error();
  auto file = Reader().run(*tree);
  if (!file) return file;
  // What is shown by a dry run can be handed in again.
  if (const std::size_t size = effective_text(*file).size(); size > kSpecBytesMax) {
    return SpecError{.what = "spec",
                     .why = fmt::format("with its defaults it is {} bytes long", size),
                     .hint = fmt::format("it takes at most {}", kSpecBytesMax)};
  }
  return file;
}

}  // namespace

SpecResult<JobFile> parse_job_file(std::string_view text, std::string_view file) {
  auto parsed = parse(text);
  if (parsed) return parsed;
  SpecError error = parsed.error();
  error.file = file;
  return error;
}

}  // namespace ringmaster::jobs

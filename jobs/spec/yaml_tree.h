// SPDX-License-Identifier: Apache-2.0
//
// A spec's text as a tree in which nothing is lost: every value and every key with its place, every
// scalar as it was written and with whether it was quoted. No key stands twice in a map.
//
// What a scalar means (a number, a word) is decided by the field that takes it (fields.h), so there
// is nothing here that could guess wrongly.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobs/spec/spec_error.h"

namespace ringmaster::jobs {

struct YamlNode {
  enum class Kind { scalar, nothing, list, map };

  Kind kind = Kind::nothing;
  Place place = {};      // of the value; of an empty one, its key's
  std::string key = {};  // in a map
  Place key_place = {};
  bool key_quoted = false;
  std::string text = {};  // a scalar's
  bool quoted = false;
  std::vector<YamlNode> children = {};
};

/// Errors carry no file name.
SpecResult<YamlNode> parse_yaml_tree(std::string_view text);

}  // namespace ringmaster::jobs

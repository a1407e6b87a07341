// SPDX-License-Identifier: Apache-2.0
//
// The keys of a spec, each said once: what it takes, its default and bounds, where its value goes.
// The parser, the effective spec and the table in docs/job-spec.md are made from these lines, so
// that they cannot disagree.
//
// What is designed and not built yet has its lines as well, in the lists of planned keys and
// values: a user who asks for it hears that, and not "unknown key". Building it moves the line.
//
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "jobs/spec/job_file.h"

namespace ringmaster::jobs {

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Where a key's value goes. A map of other keys has no value of its own, or makes one.
using Target = std::variant<std::monostate, int*, std::string*, Words*, Variables*, Period*,
                            std::optional<CheckpointPolicy>*>;

enum class Takes {
  keys,       // a map of the keys below it
  each,       // the same; a number stands for each of them
  number,     // a whole one within [low, high]
  name,       // letters, digits, - _ .
  choice,     // one of the built choices
  words,      // a list, not empty
  variables,  // a map of names to texts
  location,   // scheme:///path, with a scheme of the built choices
  period,     // a duration or a number of steps
};

inline constexpr std::string_view kRequired = "required";

struct Field {
  std::string_view name;  // "ranks.min"
  Takes takes;
  Target (*target)(JobFile& file);
  /// What holds when it is left out: a value, the name of another number, kRequired (when the map
  /// around it is there), or "" for nothing.
  std::string_view otherwise;
  std::string_view doc;
  std::int64_t low = 0, high = 0;
};

/// In the order of the effective spec; a map stands before its keys.
std::span<const Field> fields();
const Field* find_field(std::string_view name);

struct PlannedField {
  std::string_view name;
  std::string_view doc;
};
std::span<const PlannedField> planned_fields();
bool is_planned_field(std::string_view name);

/// A value of a key that takes a choice, a location or a period.
struct Choice {
  std::string_view field;
  std::string_view value;
};
std::span<const Choice> built_choices();
std::span<const Choice> planned_choices();
bool is_choice(std::span<const Choice> choices, std::string_view field, std::string_view value);
/// The values of one field.
Words values_of(std::span<const Choice> choices, std::string_view field);

/// What the field takes, for messages and docs: "a whole number from 1 to 64".
std::string takes_text(const Field& field);

/// The part of a key's name before its last point ("limits"), or "".
std::string_view parent_of(std::string_view name);
std::string_view last_part(std::string_view name);

/// The tables of docs/job-spec.md.
std::string fields_table();
std::string planned_table();

}  // namespace ringmaster::jobs

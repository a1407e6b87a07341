// SPDX-License-Identifier: Apache-2.0
//
// One value of a spec read by what its field takes. No value is turned into another: a quoted 4 is
// no number, an unquoted `no` is no text, 30 is no duration.
//
// Pure. Errors carry no file name.
#pragma once

#include <optional>
#include <string>

#include "jobs/spec/fields.h"
#include "jobs/spec/yaml_tree.h"

namespace ringmaster::jobs {

/// What is wrong, if anything is.
using Trouble = std::optional<SpecError>;

/// An unquoted text that YAML could take for something else, an empty value, a list: refused.
/// `what` names the value in messages.
SpecResult<std::string> read_text(const YamlNode& node, std::string_view what);

/// Reads the value of a field that takes no keys. `shown_as` names it in messages: a number that
/// stands for several keys is called by the map's name.
Trouble read_value(const YamlNode& node, const Field& field, std::string_view shown_as,
                   const Target& target);

}  // namespace ringmaster::jobs

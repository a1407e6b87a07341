// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "jobs/spec/fields.h"
#include "jobs/spec/yaml_text.h"

namespace ringmaster::jobs {

namespace {

std::string words_text(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + yaml_word(word);
  return "[" + text + "]";
}

std::string variables_text(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", yaml_word(name), yaml_word(value));
  }
  return "{" + text + "}";
}

std::string value_text(const Target& target) {
  if (int* const* number = std::get_if<int*>(&target)) return std::to_string(**number);
  if (std::string* const* word = std::get_if<std::string*>(&target)) return yaml_word(**word);
  if (Words* const* words = std::get_if<Words*>(&target)) return words_text(**words);
  if (Variables* const* map = std::get_if<Variables*>(&target)) return variables_text(**map);
  return period_text(*std::get<Period*>(target));
}

/// The map of the keys below `field`, or "" when it is not there.
std::string keys_text(const Field& field, JobFile& file) {
  const Target own = field.target(file);
  auto* const* made = std::get_if<std::optional<CheckpointPolicy>*>(&own);
  if (made != nullptr && !(*made)->has_value()) return "";
  std::string text;
  for (const Field& below : fields()) {
    if (parent_of(below.name) != field.name) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", last_part(below.name),
                        value_text(below.target(file)));
  }
  return "{" + text + "}";
}

}  // namespace

std::string effective_text(const JobFile& file) {
  JobFile copy = file;  // the fields' targets can be written to
  std::string text;
  for (const Field& field : fields()) {
    if (!parent_of(field.name).empty()) continue;
    const bool keys = field.takes == Takes::keys || field.takes == Takes::each;
    const std::string value = keys ? keys_text(field, copy) : value_text(field.target(copy));
    if (!value.empty()) text += fmt::format("{}: {}\n", field.name, value);
  }
  return text;
}

}  // namespace ringmaster::jobs

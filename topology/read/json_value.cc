// SPDX-License-Identifier: Apache-2.0
#include "topology/read/json_value.h"

#include <fmt/format.h>

#include <cmath>

namespace ringmaster::topology {

namespace {

const JsonValue& empty_list() {
  static const JsonValue list = JsonValue::array();
  return list;
}

}  // namespace

void JsonFault::note(std::string_view field, std::string_view wanted) {
  if (text.empty()) text = fmt::format("{}: {} is wanted", field, wanted);
}

JsonFields::JsonFields(const JsonValue& object, std::string what, JsonFault& fault)
    : object_(&object), what_(std::move(what)), fault_(&fault) {
  if (!object.is_object()) fault_->note(what_, "an object");
}

const JsonValue* JsonFields::find(const char* field) const {
  if (!object_->is_object()) return nullptr;
  const auto at = object_->find(field);
  return at == object_->end() || at->is_null() ? nullptr : &*at;
}

bool JsonFields::has(const char* field) const {
  return find(field) != nullptr;
}

void JsonFields::note(const char* field, std::string_view wanted) {
  fault_->note(fmt::format("{}.{}", what_, field), wanted);
}

std::optional<std::int64_t> JsonFields::number(const char* field, std::int64_t low,
                                               std::int64_t high) {
  const JsonValue* value = find(field);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() ||
                     value->get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (fits) {
    const auto number = value->get<std::int64_t>();
    if (number >= low && number <= high) return number;
  }
  note(field, fmt::format("a whole number from {} to {}", low, high));
  return std::nullopt;
}

std::optional<int> JsonFields::small(const char* field, int low, int high) {
  const auto value = number(field, low, high);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<double> JsonFields::real(const char* field) {
  const JsonValue* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) {
    const double number = value->get<double>();
    if (std::isfinite(number) && number >= 0) return number;
  }
  note(field, "a number, not negative");
  return std::nullopt;
}

std::string JsonFields::text(const char* field) {
  const JsonValue* value = find(field);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  note(field, "a text");
  return "";
}

bool JsonFields::flag(const char* field) {
  const JsonValue* value = find(field);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  note(field, "true or false");
  return false;
}

const JsonValue& JsonFields::list(const char* field, std::size_t most) {
  const JsonValue* value = find(field);
  if (value == nullptr) return empty_list();
  if (value->is_array() && value->size() <= most) return *value;
  note(field, fmt::format("a list of at most {}", most));
  return empty_list();
}

std::vector<JsonFields> JsonFields::objects(const char* field, std::size_t most) {
  std::vector<JsonFields> result;
  for (const JsonValue& item : list(field, most)) {
    result.emplace_back(item, fmt::format("{}.{}[{}]", what_, field, result.size()), *fault_);
  }
  return result;
}

}  // namespace ringmaster::topology

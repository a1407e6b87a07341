// SPDX-License-Identifier: Apache-2.0
//
// Reads fields of a JSON object that may be of any kind: a wrong one is noted, once, and reads as
// the default, so that a reader is a list of fields and looks at the end whether all were right.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ringmaster::topology {

using JsonValue = nlohmann::json;

/// What a reader has found wrong: only the first counts.
struct JsonFault {
  std::string text;

  void note(std::string_view field, std::string_view wanted);
  bool found() const { return !text.empty(); }
};

class JsonFields {
 public:
  /// `what` names the object in messages ("gpus[3]").
  JsonFields(const JsonValue& object, std::string what, JsonFault& fault);

  /// A whole number within the bounds; nothing where the field is null or not there.
  std::optional<std::int64_t> number(const char* field, std::int64_t low = 0,
                                     std::int64_t high = std::numeric_limits<std::int64_t>::max());
  std::optional<int> small(const char* field, int low = 0, int high = 1 << 30);
  std::optional<double> real(const char* field);
  /// "" where it is null or not there.
  std::string text(const char* field);
  bool flag(const char* field);
  /// The objects of a list, at most `most`; none where it is not there.
  std::vector<JsonFields> objects(const char* field, std::size_t most);
  /// The list itself; an empty one where it is not there.
  const JsonValue& list(const char* field, std::size_t most);
  bool has(const char* field) const;
  const std::string& what() const { return what_; }
  void note(const char* field, std::string_view wanted);

 private:
  const JsonValue* find(const char* field) const;

  const JsonValue* object_;
  std::string what_;
  JsonFault* fault_;
};

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace ringmaster::storage {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kMetadata = "__metadata__";
constexpr int kDepthMax = 3;                      // object, tensor, list
constexpr std::size_t kEntriesMax = 1'000'000;    // 100 MB of header have not many more
constexpr std::size_t kEntryNameMax = 64 * 1024;  // other programs' names, not ours

Error damaged(const std::string& why) {
  return {Errc::corrupt, "safetensors header: " + why};
}

/// The document, or nothing when it is no JSON, too deep, or says a name twice (of which a plain
/// parser silently takes the last).
std::optional<OrderedJson> parse_once(std::string_view text) {
  bool good = true;
  std::vector<std::set<std::string>> names;
  const auto look = [&](int depth, OrderedJson::parse_event_t event, OrderedJson& value) {
    good = good && depth <= kDepthMax;
    if (event == OrderedJson::parse_event_t::object_start) names.emplace_back();
    if (event == OrderedJson::parse_event_t::object_end && !names.empty()) names.pop_back();
    if (event == OrderedJson::parse_event_t::key && !names.empty()) {
      good = good && names.back().insert(value.get<std::string>()).second;
    }
    return good;
  };
  OrderedJson json = OrderedJson::parse(text, look, /*allow_exceptions=*/false);
  if (!good || json.is_discarded() || !json.is_object()) return std::nullopt;
  return json;
}

/// A list of numbers, or nothing.
std::optional<Shape> numbers_of(const OrderedJson& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_array()) return std::nullopt;
  Shape numbers;
  for (const OrderedJson& element : *at) {
    if (!element.is_number_unsigned()) return std::nullopt;
    numbers.push_back(element.get<std::uint64_t>());
  }
  return numbers;
}

Result<SafetensorsEntry> entry_of(const std::string& name, const OrderedJson& json) {
  const auto wrong = [&](const char* why) {
    return damaged(fmt::format("\"{}\": {}", name.substr(0, kTensorNameMax), why));
  };
  if (name.empty() || name.size() > kEntryNameMax) return wrong("a name of this length");
  if (!json.is_object() || json.size() != 3) return wrong("not dtype, shape, data_offsets");
  const auto type = json.find("dtype");
  if (type == json.end() || !type->is_string()) return wrong("no dtype");
  const auto dtype = find_dtype(type->get<std::string>());
  if (!dtype) return wrong("a dtype that is unknown");
  const auto shape = numbers_of(json, "shape");
  if (!shape || shape->size() > kDimensionsMax) return wrong("no shape");
  const auto offsets = numbers_of(json, "data_offsets");
  if (!offsets || offsets->size() != 2) return wrong("no data_offsets");
  const auto bytes = bytes_of(*dtype, *shape);
  const std::uint64_t begin = offsets->front(), end = offsets->back();
  if (!bytes || begin > end || end - begin != *bytes) {
    return wrong("data_offsets do not fit dtype and shape");
  }
  return SafetensorsEntry{name, *dtype, *shape, begin, end};
}

bool read_metadata(const OrderedJson& json, std::map<std::string, std::string>& metadata) {
  if (!json.is_object()) return false;
  for (const auto& item : json.items()) {
    if (!item.value().is_string()) return false;
    metadata[item.key()] = item.value().get<std::string>();
  }
  return true;
}

}  // namespace

std::string encode_safetensors(std::vector<SafetensorsEntry>& entries,
                               const std::map<std::string, std::string>& metadata) {
  OrderedJson json = OrderedJson::object();
  if (!metadata.empty()) json[kMetadata] = metadata;
  std::uint64_t place = 0;
  // ordered_json looks a new name up among all that are there; pushing to its vector does not.
  auto& members = json.get_ref<OrderedJson::object_t&>();
  for (SafetensorsEntry& entry : entries) {
    const auto bytes = bytes_of(entry.dtype, entry.shape);
    CHECK(bytes.has_value());
    entry.begin = place;
    entry.end = place += *bytes;
    members.emplace_back(entry.name, OrderedJson{{"dtype", dtype_name(entry.dtype)},
                                          {"shape", entry.shape},
                                          {"data_offsets", {entry.begin, entry.end}}});
  }
  std::string text = json.dump(-1, ' ', true, OrderedJson::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  CHECK_LE(text.size(), kHeaderBytesMax);
  std::string length;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length += static_cast<char>((text.size() >> (8 * i)) & 0xff);
  }
  return length + text;
}

Result<std::uint64_t> safetensors_header_bytes(std::string_view first, std::uint64_t file_bytes) {
  if (first.size() < kLengthBytes || file_bytes < kLengthBytes) {
    return damaged("the file has no eight bytes");
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(first[i])) << (8 * i);
  }
  if (length > kHeaderBytesMax || length > file_bytes - kLengthBytes) {
    return damaged(fmt::format("it says that it has {} bytes", length));
  }
  return length;
}

Result<SafetensorsHeader> decode_safetensors(std::string_view json, std::uint64_t file_bytes) {
  const std::uint64_t data_begin = kLengthBytes + json.size();
  if (file_bytes < data_begin) return damaged("the file ends in it");
  if (!json.starts_with('{')) return damaged("it does not begin with {");
  const auto document = parse_once(json);
  if (!document) return damaged("not JSON, too deep, or a name twice");
  if (document->size() > kEntriesMax) return damaged("too many entries");
  SafetensorsHeader header;
  header.data_begin = data_begin;
  for (const auto& item : document->items()) {
    if (item.key() == kMetadata) {
      if (!read_metadata(item.value(), header.metadata)) return damaged("metadata is no text");
      continue;
    }
    auto entry = entry_of(item.key(), item.value());
    if (!entry) return entry.error();
    header.entries.push_back(std::move(*entry));
  }
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
                   });
  std::uint64_t place = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    if (entry.begin != place) return damaged("a hole or an overlap before \"" + entry.name + "\"");
    place = entry.end;
  }
  if (place != file_bytes - data_begin) return damaged("the data is longer or shorter than it");
  return header;
}

}  // namespace ringmaster::storage

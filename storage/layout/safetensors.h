// SPDX-License-Identifier: Apache-2.0
//
// The header of a safetensors file: which tensors are in it, and where.
//
// The file is 8 bytes little-endian length, a JSON object of that length, then the data without
// holes or overlaps. Reading is stricter than the format asks for: every number is checked against
// the size of the file before anybody uses it, and a name may be there once.
//
// Pure.
#pragma once

#include <map>

#include "storage/layout/tensor.h"

namespace ringmaster::storage {

inline constexpr std::uint64_t kHeaderBytesMax = 100'000'000;  // what the format's own reader takes
inline constexpr std::size_t kLengthBytes = 8;

/// Name, type and shape as in the file; `begin` and `end` count from the first byte of the data.
struct SafetensorsEntry {
  std::string name = {};
  Dtype dtype = Dtype::f32;
  Shape shape = {};
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const SafetensorsEntry&, const SafetensorsEntry&) = default;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries = {};  // in the order of the data
  std::map<std::string, std::string> metadata = {};
  std::uint64_t data_begin = 0;  // in the file
};

/// Places the entries one after the other (their `begin` and `end` are set) and writes all that
/// comes before the data.
std::string encode_safetensors(std::vector<SafetensorsEntry>& entries,
                               const std::map<std::string, std::string>& metadata);

/// How long the JSON is, by the first eight bytes of a file of `file_bytes`.
Result<std::uint64_t> safetensors_header_bytes(std::string_view first, std::uint64_t file_bytes);

/// Reads the JSON of the header; `file_bytes` is the size of the whole file.
Result<SafetensorsHeader> decode_safetensors(std::string_view json, std::uint64_t file_bytes);

}  // namespace ringmaster::storage

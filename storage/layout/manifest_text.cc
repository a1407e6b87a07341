// SPDX-License-Identifier: Apache-2.0
//
// Manifests as text. Written by hand: a manifest of a million chunks as a tree of JSON values would
// take gigabytes, and the one spelling is easiest to see here.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "storage/layout/manifest.h"
#include "storage/layout/seal.h"

namespace ringmaster::storage {

namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "ringmaster-checkpoint";

/// Names are printable ASCII: two characters need care.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

void append_tensor(std::string& text, const StoredTensor& stored) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{{\"name\":{},\"dtype\":\"{}\",\"shape\":[{}],\"chunks\":[",
                 quoted(stored.tensor.name), dtype_name(stored.tensor.dtype),
                 fmt::join(stored.tensor.shape, ","));
  for (const Chunk& chunk : stored.chunks) {
    if (text.back() != '[') text += ',';
    fmt::format_to(out, "{{\"offset\":[{}],\"shape\":[{}],\"shard\":{},\"begin\":{}}}",
                   fmt::join(chunk.box.offset, ","), fmt::join(chunk.box.shape, ","), chunk.shard,
                   chunk.begin);
  }
  text += "]}";
}

std::string write_text(const Manifest& manifest) {
  std::string text = fmt::format(
      "\"format\":\"{}\",\"version\":1,\"job\":\"{}\",\"term\":{},\"step\":{},\"world\":{},"
      "\"tensors\":[",
      kFormat, manifest.job, manifest.name.term, manifest.name.step, manifest.world);
  for (const StoredTensor& stored : manifest.tensors) {
    if (text.back() != '[') text += ',';
    append_tensor(text, stored);
  }
  text += "],\"shards\":[";
  for (const Shard& shard : manifest.shards) {
    if (text.back() != '[') text += ',';
    fmt::format_to(std::back_inserter(text),
                   "{{\"key\":\"{}\",\"bytes\":{},\"crc32c\":\"{:08x}\"}}", shard.key, shard.bytes,
                   shard.crc);
  }
  return seal(text + "],");
}

/// Reads members one after the other; the first that is missing or of another kind spoils it.
class Reader {
 public:
  bool good() const { return good_; }

  const Json& member(const Json& object, const char* name) {
    static const Json kNothing;
    if (!object.is_object()) return spoil(kNothing);
    const auto at = object.find(name);
    return at == object.end() ? spoil(kNothing) : *at;
  }
  std::string text(const Json& object, const char* name) {
    const Json& value = member(object, name);
    if (!value.is_string()) good_ = false;
    return good_ ? value.get<std::string>() : std::string();
  }
  std::uint64_t number(const Json& value) {
    if (!value.is_number_unsigned()) good_ = false;
    return good_ ? value.get<std::uint64_t>() : 0;
  }
  std::int64_t small_number(const Json& value) {
    const std::uint64_t number_read = number(value);
    if (number_read > INT64_MAX) good_ = false;
    return good_ ? static_cast<std::int64_t>(number_read) : 0;
  }
  const Json& list(const Json& object, const char* name, std::size_t most) {
    static const Json kEmpty = Json::array();
    const Json& value = member(object, name);
    if (!value.is_array() || value.size() > most) return spoil(kEmpty);
    return value;
  }
  Shape numbers(const Json& object, const char* name) {
    Shape all;
    for (const Json& element : list(object, name, kDimensionsMax)) all.push_back(number(element));
    return all;
  }
  void need(bool condition) { good_ = good_ && condition; }

 private:
  const Json& spoil(const Json& instead) {
    good_ = false;
    return instead;
  }
  bool good_ = true;
};

StoredTensor read_tensor(Reader& reader, const Json& json) {
  StoredTensor stored;
  stored.tensor.name = reader.text(json, "name");
  const auto dtype = find_dtype(reader.text(json, "dtype"));
  reader.need(dtype.has_value());
  stored.tensor.dtype = dtype.value_or(Dtype::u8);
  stored.tensor.shape = reader.numbers(json, "shape");
  for (const Json& chunk : reader.list(json, "chunks", kChunksMax)) {
    stored.chunks.push_back({{reader.numbers(chunk, "offset"), reader.numbers(chunk, "shape")},
                             reader.number(reader.member(chunk, "shard")),
                             reader.number(reader.member(chunk, "begin"))});
  }
  return stored;
}

Shard read_shard(Reader& reader, const Json& json) {
  const std::string key = reader.text(json, "key");
  const std::uint64_t bytes = reader.number(reader.member(json, "bytes"));
  const std::string crc = reader.text(json, "crc32c");
  reader.need(crc.size() == 8 && crc.find_first_not_of("0123456789abcdef") == std::string::npos);
  if (!reader.good()) return {};
  return {key, bytes, static_cast<std::uint32_t>(std::stoul(crc, nullptr, 16))};
}

}  // namespace

Result<std::string> encode_manifest(const Manifest& manifest) {
  if (auto good = check_manifest(manifest); !good) return good.error();
  std::string text = write_text(manifest);
  if (text.size() > kManifestBytesMax) {
    return Error{Errc::invalid,
                 fmt::format("manifest: {} bytes, at most {}", text.size(), kManifestBytesMax)};
  }
  return text;
}

Result<Manifest> decode_manifest(std::string_view text) {
  const auto damaged = [](const std::string& why) {
    return Error{Errc::corrupt, "manifest: " + why};
  };
  if (text.size() > kManifestBytesMax) return damaged("too long");
  if (auto good = check_seal(text); !good) return damaged(good.error().message);
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return damaged("not JSON");
  Reader reader;
  const std::int64_t version = reader.small_number(reader.member(json, "version"));
  if (reader.text(json, "format") != kFormat) return damaged("of another format");
  if (version != 1) return damaged(fmt::format("of version {}, known is 1", version));
  Manifest manifest;
  manifest.job = reader.text(json, "job");
  manifest.name = {reader.small_number(reader.member(json, "term")),
                   reader.small_number(reader.member(json, "step"))};
  manifest.world = reader.small_number(reader.member(json, "world"));
  for (const Json& tensor : reader.list(json, "tensors", kTensorsMax)) {
    manifest.tensors.push_back(read_tensor(reader, tensor));
  }
  for (const Json& shard : reader.list(json, "shards", kShardsMax)) {
    manifest.shards.push_back(read_shard(reader, shard));
  }
  if (!reader.good()) return damaged("a member is missing or of the wrong kind");
  if (auto good = check_manifest(manifest); !good)
    return Error{Errc::corrupt, good.error().message};
  if (write_text(manifest) != text) return damaged("not spelled as one");
  return manifest;
}

}  // namespace ringmaster::storage

// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "storage/layout/crc32c.h"
#include "storage/layout/safetensors.h"

namespace ringmaster::storage {

namespace {

constexpr std::uint64_t kBlock = 8 << 20;  // of a shard that is in memory at once

using Found = std::optional<Problem>;

/// Errors that say what the object is, not what happened on the way to it.
bool is_damage(const Error& error) {
  return error.code == Errc::not_found || error.code == Errc::corrupt;
}

Result<Found> check_sum(ObjectStore& store, const Shard& shard) {
  std::uint32_t crc = 0;
  for (std::uint64_t place = 0; place < shard.bytes;) {
    const auto block = store.read(shard.key, place, std::min(kBlock, shard.bytes - place));
    if (!block && is_damage(block.error())) return Found({shard.key, block.error().message});
    if (!block) return block.error();
    if (block->empty()) return Found({shard.key, fmt::format("it ends at byte {}", place)});
    crc = crc32c(*block, crc);
    place += block->size();
  }
  if (crc == shard.crc) return Found();
  return Found({shard.key, fmt::format("its CRC32C is {:08x}, not {:08x}", crc, shard.crc)});
}

Result<SafetensorsHeader> read_header(ObjectStore& store, const Shard& shard) {
  const auto first = store.read(shard.key, 0, kLengthBytes);
  if (!first) return first.error();
  const auto bytes = safetensors_header_bytes(*first, shard.bytes);
  if (!bytes) return bytes.error();
  const auto json = store.read(shard.key, kLengthBytes, *bytes);
  if (!json) return json.error();
  return decode_safetensors(*json, shard.bytes);
}

/// Whether the header of shard `index` places the manifest's chunks where the manifest does.
Result<Found> check_header(ObjectStore& store, const Manifest& manifest, std::uint64_t index) {
  const Shard& shard = manifest.shards[index];
  const auto header = read_header(store, shard);
  if (!header && is_damage(header.error())) return Found({shard.key, header.error().message});
  if (!header) return header.error();
  std::map<std::string_view, const SafetensorsEntry*> entries;
  for (const SafetensorsEntry& entry : header->entries) entries[entry.name] = &entry;
  for (const StoredTensor& stored : manifest.tensors) {
    for (const Chunk& chunk : stored.chunks) {
      if (chunk.shard != index) continue;
      const std::string name = chunk_name(stored.tensor, chunk.box);
      const auto at = entries.find(name);
      if (at == entries.end() || at->second->dtype != stored.tensor.dtype ||
          at->second->shape != chunk.box.shape ||
          header->data_begin + at->second->begin != chunk.begin) {
        return Found({shard.key, fmt::format("\"{}\" is not where the manifest says", name)});
      }
    }
  }
  return Found();
}

Result<Found> check_bytes(ObjectStore& store, const Manifest& manifest) {
  for (std::uint64_t i = 0; i < manifest.shards.size(); ++i) {
    auto found = check_sum(store, manifest.shards[i]);
    if (!found || *found) return found;
    found = check_header(store, manifest, i);
    if (!found || *found) return found;
  }
  return Found();
}

}  // namespace

Result<Found> find_missing(ObjectStore& store, const std::vector<Shard>& shards) {
  std::set<std::string> folders;
  for (const Shard& shard : shards) folders.insert(shard.key.substr(0, shard.key.rfind('/') + 1));
  std::map<std::string, std::uint64_t> sizes;
  for (const std::string& folder : folders) {
    const auto listed = store.list(folder);
    if (!listed) return listed.error();
    for (const ObjectInfo& object : *listed) sizes[object.key] = object.bytes;
  }
  for (const Shard& shard : shards) {
    const auto at = sizes.find(shard.key);
    if (at == sizes.end()) return Found({shard.key, "it is not there"});
    if (at->second != shard.bytes) {
      return Found({shard.key, fmt::format("it has {} bytes, not {}", at->second, shard.bytes)});
    }
  }
  return Found();
}

Result<Inspection> inspect(ObjectStore& store, const std::string& job, const CheckpointName& name,
                           Depth depth) {
  const std::string key = manifest_key(job, name);
  Inspection inspection;
  inspection.name = name;
  const auto text = store.get(key, kManifestBytesMax);
  if (!text && !is_damage(text.error())) return text.error();
  if (!text) {
    inspection.vanished = text.error().code == Errc::not_found;
    inspection.problem = {key, text.error().message};
    return inspection;
  }
  auto manifest = decode_manifest(*text);
  if (!manifest) {
    inspection.problem = {key, manifest.error().message};
    return inspection;
  }
  if (manifest->job != job || manifest->name != name) {
    inspection.problem = {
        key, fmt::format("it is the one of {}, {}", manifest->job, describe(manifest->name))};
    return inspection;
  }
  auto found = find_missing(store, manifest->shards);
  if (found && !*found && depth == Depth::bytes) found = check_bytes(store, *manifest);
  if (!found) return found.error();
  inspection.problem = *found;
  inspection.manifest = std::move(*manifest);
  return inspection;
}

}  // namespace ringmaster::storage

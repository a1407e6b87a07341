// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringmaster::storage {

namespace {

Error wrong(const std::string& why) {
  return {Errc::invalid, "manifest: " + why};
}

/// Whether a key is one that this job's shards can have: `JOB/shards/..`.
bool is_shard_key(const std::string& job, std::string_view key) {
  const std::string prefix = shards_prefix(job);
  if (!key.starts_with(prefix) || !key.ends_with(".safetensors")) return false;
  key.remove_prefix(prefix.size());
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos || !parse_checkpoint_name(key.substr(0, slash))) return false;
  const std::string_view file = key.substr(slash + 1);
  return file.size() <= kJobNameMax && is_job_name(file);
}

/// As intersect(), which would allocate: it is asked for every pair of neighbours.
bool overlaps(const Box& a, const Box& b) {
  for (std::size_t d = 0; d < a.offset.size(); ++d) {
    if (a.offset[d] >= b.offset[d] + b.shape[d] || b.offset[d] >= a.offset[d] + a.shape[d]) {
      return false;
    }
  }
  return true;
}

/// Chunks that lie inside, overlap nowhere and have together the tensor's size cover it.
Result<void> check_cover(const StoredTensor& stored) {
  const std::string& name = stored.tensor.name;
  const Shape& shape = stored.tensor.shape;
  if (stored.chunks.size() > kChunksOfTensorMax) return wrong(fmt::format("too many \"{}\"", name));
  std::uint64_t elements = 0;
  std::vector<const Box*> boxes;
  for (const Chunk& chunk : stored.chunks) {
    if (!is_inside(chunk.box, shape)) return wrong(fmt::format("a chunk outside of \"{}\"", name));
    const std::uint64_t own = elements_of(chunk.box.shape);
    if (own == 0 && elements_of(shape) != 0) return wrong(fmt::format("an empty \"{}\"", name));
    elements += own;
    if (elements > elements_of(shape)) return wrong(fmt::format("\"{}\" is there twice", name));
    boxes.push_back(&chunk.box);
  }
  if (elements != elements_of(shape))
    return wrong(fmt::format("parts of \"{}\" are missing", name));
  if (elements == 0 || shape.empty()) {
    return stored.chunks.size() == 1 ? Result<void>() : wrong("an empty tensor has one chunk");
  }
  // Sorted by the first dimension, only neighbours can overlap: each is compared with the ones that
  // begin before it ends.
  std::sort(boxes.begin(), boxes.end(),
            [](const Box* a, const Box* b) { return a->offset < b->offset; });
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const std::uint64_t end = boxes[i]->offset.front() + boxes[i]->shape.front();
    for (std::size_t j = i + 1; j < boxes.size() && boxes[j]->offset.front() < end; ++j) {
      if (overlaps(*boxes[i], *boxes[j])) return wrong(fmt::format("\"{}\" overlaps", name));
    }
  }
  return {};
}

Result<void> check_places(const StoredTensor& stored, const std::vector<Shard>& shards) {
  for (const Chunk& chunk : stored.chunks) {
    if (chunk.shard >= shards.size()) return wrong("a shard that is not there");
    const auto bytes = bytes_of(stored.tensor.dtype, chunk.box.shape);
    const std::uint64_t shard = shards[chunk.shard].bytes;
    if (!bytes || *bytes > shard || chunk.begin > shard - *bytes) {
      return wrong(fmt::format("a chunk of \"{}\" outside of its shard", stored.tensor.name));
    }
  }
  return {};
}

Result<void> check_shards(const Manifest& manifest) {
  std::set<std::string_view> keys;
  for (const Shard& shard : manifest.shards) {
    if (!is_shard_key(manifest.job, shard.key)) return wrong("the shard key \"" + shard.key + "\"");
    if (!keys.insert(shard.key).second) return wrong("the shard " + shard.key + " twice");
    if (shard.bytes > kTensorBytesMax) return wrong("the size of " + shard.key);
  }
  return {};
}

}  // namespace

Result<void> check_manifest(const Manifest& manifest) {
  const CheckpointName& name = manifest.name;
  if (!is_job_name(manifest.job)) return wrong("the job's name \"" + manifest.job + "\"");
  if (name.term < 1 || name.term > kTermMax || name.step < 0 || name.step > kStepMax) {
    return wrong(describe(name));
  }
  if (manifest.world < 1 || manifest.world > kWorldMax) return wrong("its world");
  if (manifest.tensors.size() > kTensorsMax || manifest.shards.size() > kShardsMax) {
    return wrong(fmt::format("more than {} tensors or shards", kTensorsMax));
  }
  if (auto good = check_shards(manifest); !good) return good;
  std::size_t chunks = 0;
  std::set<std::string_view> names;
  for (const StoredTensor& stored : manifest.tensors) {
    if (auto good = check_tensor(stored.tensor); !good) return good;
    if (!names.insert(stored.tensor.name).second) return wrong("a name twice");
    chunks += stored.chunks.size();
    if (chunks > kChunksMax) return wrong(fmt::format("more than {} chunks", kChunksMax));
    if (auto good = check_places(stored, manifest.shards); !good) return good;
    if (auto good = check_cover(stored); !good) return good;
  }
  return {};
}

std::uint64_t data_bytes(const Manifest& manifest) {
  std::uint64_t sum = 0;
  for (const StoredTensor& stored : manifest.tensors) {
    sum += bytes_of(stored.tensor.dtype, stored.tensor.shape).value_or(0);
  }
  return sum;
}

}  // namespace ringmaster::storage

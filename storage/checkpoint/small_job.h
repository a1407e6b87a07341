// SPDX-License-Identifier: Apache-2.0
//
// A job with two small tensors, for tests: what it saves at a step is made from (term, step), so
// that a loaded checkpoint tells whether it is one whole save. Header only.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "storage/checkpoint/collect.h"
#include "storage/checkpoint/writer.h"
#include "storage/layout/divide.h"
#include "storage/layout/reads.h"
#include "storage/memory/memory_store.h"

namespace ringmaster::storage {

inline const std::string kJob = "job";
inline const std::vector<Tensor> kTensors = {{"w", Dtype::u8, {6, 4}}, {"b", Dtype::f32, {3}}};

inline std::string content(std::size_t tensor, const CheckpointName& name) {
  std::string bytes(*bytes_of(kTensors[tensor].dtype, kTensors[tensor].shape), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(name.step * 31 + name.term * 7 + static_cast<std::int64_t>(i));
  }
  return bytes;
}

/// Writes all shards of a step from `world` ranks.
inline Result<Manifest> write_shards(ObjectStore& store, const CheckpointName& name,
                                     std::int64_t world) {
  const auto parts = divide(kTensors, world, 4);
  std::vector<WrittenShard> written;
  const std::vector<std::string> bytes = {content(0, name), content(1, name)};
  for (std::int64_t r = 0; r < world; ++r) {
    std::vector<StagedChunk> chunks;
    for (const Part& part : parts[static_cast<std::size_t>(r)]) {
      const Tensor& tensor = kTensors[part.tensor];
      // Parts of this job are rows, or elements of one row: contiguous.
      const std::uint64_t row = tensor.shape.size() == 2 ? tensor.shape[1] : 1;
      std::uint64_t begin = part.box.offset[0] * row;
      if (tensor.shape.size() == 2) begin += part.box.offset[1];
      const std::uint64_t size = dtype_bytes(tensor.dtype);
      const std::string_view all = bytes[part.tensor];
      chunks.push_back(
          {tensor, part.box, all.substr(begin * size, elements_of(part.box.shape) * size)});
    }
    auto shard = write_shard(store, kJob, {name, r, world}, chunks);
    if (!shard) return shard.error();
    written.push_back(std::move(*shard));
  }
  return assemble(kJob, name, world, kTensors, written);
}

inline Result<void> save(ObjectStore& store, const Term& term, std::int64_t step,
                         std::int64_t world = 2) {
  const auto manifest = write_shards(store, {term.number, step}, world);
  if (!manifest) return manifest.error();
  return commit(store, term, *manifest);
}

/// Loads with `ranks` ranks; whether every byte is the one that this save wrote.
inline bool loads(ObjectStore& store, const Manifest& manifest, std::int64_t ranks = 3) {
  for (std::int64_t p = 0; p < ranks; ++p) {
    const auto wanted = share_of_load(manifest, p, ranks);
    std::vector<std::string> buffers;
    for (const Wanted& w : wanted) {
      buffers.emplace_back(*bytes_of(kTensors[w.tensor].dtype, w.box.shape), '\0');
    }
    const auto reads = plan_reads(manifest, wanted);
    if (!reads) return false;
    for (const Read& read : *reads) {
      const auto bytes = store.read(manifest.shards[read.shard].key, read.begin, read.bytes);
      if (!bytes || bytes->size() != read.bytes) return false;
      buffers[read.wanted].replace(read.into, read.bytes, *bytes);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Tensor& tensor = kTensors[wanted[i].tensor];
      if (!is_inside(wanted[i].box, tensor.shape)) return false;
      // A stretch of rows: compare with the place of the first element.
      std::uint64_t place = 0;
      for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        place = place * tensor.shape[d] + wanted[i].box.offset[d];
      }
      const std::string all = content(wanted[i].tensor, manifest.name);
      if (all.compare(place * dtype_bytes(tensor.dtype), buffers[i].size(), buffers[i]) != 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace ringmaster::storage

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "storage/checkpoint/writer.h"
#include "storage/layout/crc32c.h"
#include "storage/layout/safetensors.h"

namespace ringmaster::storage {

namespace {

Result<void> check_chunk(const StagedChunk& chunk) {
  if (auto good = check_tensor(chunk.tensor); !good) return good;
  const bool inside = is_inside(chunk.box, chunk.tensor.shape);
  if (!inside || bytes_of(chunk.tensor.dtype, chunk.box.shape) != chunk.bytes.size()) {
    return Error{Errc::invalid,
                 fmt::format("write a shard: {} bytes do not fit \"{}\"", chunk.bytes.size(),
                             chunk_name(chunk.tensor, chunk.box))};
  }
  return {};
}

/// Larger element types first: then every tensor is aligned to its type in the file.
std::vector<const StagedChunk*> in_file_order(const std::vector<StagedChunk>& chunks) {
  std::vector<const StagedChunk*> order;
  for (const StagedChunk& chunk : chunks) order.push_back(&chunk);
  std::stable_sort(order.begin(), order.end(), [](const StagedChunk* a, const StagedChunk* b) {
    return dtype_bytes(a->tensor.dtype) > dtype_bytes(b->tensor.dtype);
  });
  return order;
}

}  // namespace

Result<WrittenShard> write_shard(ObjectStore& store, const std::string& job, const ShardName& name,
                                 const std::vector<StagedChunk>& chunks) {
  std::vector<SafetensorsEntry> entries;
  const auto order = in_file_order(chunks);
  for (const StagedChunk* chunk : order) {
    if (auto good = check_chunk(*chunk); !good) return good.error();
    entries.push_back(
        {chunk_name(chunk->tensor, chunk->box), chunk->tensor.dtype, chunk->box.shape});
  }
  const std::string head =
      encode_safetensors(entries, {{"job", job},
                                   {"step", fmt::format("{}", name.checkpoint.step)},
                                   {"term", fmt::format("{}", name.checkpoint.term)}});
  Pieces pieces = {head};
  std::uint32_t crc = crc32c(head);
  WrittenShard written;
  for (std::size_t i = 0; i < order.size(); ++i) {
    pieces.push_back(order[i]->bytes);
    crc = crc32c(order[i]->bytes, crc);
    written.chunks.push_back({order[i]->tensor, order[i]->box, head.size() + entries[i].begin});
  }
  written.shard = {shard_key(job, name, crc), total_bytes(pieces), crc};
  // Its key tells its bytes: putting it twice is harmless, and repairs what a store has torn.
  if (auto put = store.put(written.shard.key, pieces); !put) return put.error();
  return written;
}

}  // namespace ringmaster::storage

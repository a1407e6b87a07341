// SPDX-License-Identifier: Apache-2.0
//
// The manifest: what makes a checkpoint exist. It says which chunk of which tensor lies at which
// byte of which shard, and what the shards' sizes and checksums are.
//
// There is one spelling of a manifest (docs/checkpoint-format.md), so that reading can be as strict
// as writing without a list of all that might be wrong: what would not be written back byte for
// byte is damage.
//
// Pure.
#pragma once

#include "storage/layout/names.h"
#include "storage/layout/tensor.h"

namespace ringmaster::storage {

inline constexpr std::uint64_t kManifestBytesMax = 32ULL << 20;
inline constexpr std::size_t kTensorsMax = 1 << 17;
inline constexpr std::size_t kChunksMax = 1 << 20;
inline constexpr std::size_t kChunksOfTensorMax = 1 << 14;  // pairs of them are compared
inline constexpr std::size_t kShardsMax = 1 << 17;

struct Chunk {
  Box box = {};
  std::uint64_t shard = 0;  // an index
  std::uint64_t begin = 0;  // the first byte of its data in the shard's file
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

struct StoredTensor {
  Tensor tensor = {};
  std::vector<Chunk> chunks = {};
  friend bool operator==(const StoredTensor&, const StoredTensor&) = default;
};

struct Shard {
  std::string key = {};
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  friend bool operator==(const Shard&, const Shard&) = default;
};

struct Manifest {
  std::string job = {};
  CheckpointName name = {};
  std::int64_t world = 1;  // how many ranks saved it
  std::vector<StoredTensor> tensors = {};
  std::vector<Shard> shards = {};
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Whether it is within bounds, its names are there once, every chunk lies in its shard, and the
/// chunks of each tensor cover it exactly once.
Result<void> check_manifest(const Manifest& manifest);

/// Errc::invalid for what check_manifest refuses or what would be longer than kManifestBytesMax.
Result<std::string> encode_manifest(const Manifest& manifest);
/// Errc::corrupt for anything but what encode_manifest writes.
Result<Manifest> decode_manifest(std::string_view text);

/// The sum of the tensors' sizes.
std::uint64_t data_bytes(const Manifest& manifest);

}  // namespace ringmaster::storage

// SPDX-License-Identifier: Apache-2.0
//
// What to read: from the boxes of tensors that a rank wants, and a manifest, to byte ranges of
// shards and the places in memory where they go. N ranks have saved, M load; the manifest's chunks
// and the boxes wanted need not have anything in common.
//
// Pure.
#pragma once

#include "storage/layout/manifest.h"

namespace ringmaster::storage {

inline constexpr std::size_t kReadsMax = 1 << 22;

/// A box of manifest.tensors[tensor] that is wanted. Its elements go row by row into a buffer of
/// its own, of the box's size.
struct Wanted {
  std::size_t tensor = 0;
  Box box = {};
};

struct Read {
  std::uint64_t shard = 0;  // an index of the manifest's shards
  std::uint64_t begin = 0;  // in the shard's file
  std::uint64_t bytes = 0;
  std::size_t wanted = 0;  // whose buffer
  std::uint64_t into = 0;  // the first byte there
};

/// The reads, by shard and place; neighbours in both the shard and the buffer are one read. Every
/// byte wanted is read once. Errc::invalid for a box outside of its tensor; Errc::exhausted for
/// more than kReadsMax.
Result<std::vector<Read>> plan_reads(const Manifest& manifest, const std::vector<Wanted>& wanted);

/// What each of `ranks` ranks reads when they share one whole load: position p's boxes.
std::vector<Wanted> share_of_load(const Manifest& manifest, std::int64_t position,
                                  std::int64_t ranks);

}  // namespace ringmaster::storage

// SPDX-License-Identifier: Apache-2.0
//
// Who saves what: a list of tensors divided over N ranks, into about equal numbers of bytes.
//
// The tensors are laid end to end and cut at N - 1 places. A cut goes to the nearest place before
// it where it costs little: tensors of up to kGrain bytes stay whole, larger ones are cut between
// rows (or rows of rows) of at most that size. So ranks differ by one grain at most, and a part is
// almost always a single chunk: contiguous in memory, in the shard and in the tensor.
//
// The same division with M says what each of M ranks loads when they share the work (reads.h).
//
// Pure.
#pragma once

#include "storage/layout/tensor.h"

namespace ringmaster::storage {

inline constexpr std::uint64_t kGrain = 1 << 20;

/// A chunk of tensors[tensor].
struct Part {
  std::size_t tensor = 0;
  Box box = {};
  friend bool operator==(const Part&, const Part&) = default;
};

/// The parts of each of `ranks` ranks; together they cover every tensor exactly once. An empty
/// tensor is one part. The tensors have passed check_tensor.
std::vector<std::vector<Part>> divide(const std::vector<Tensor>& tensors, std::int64_t ranks,
                                      std::uint64_t grain = kGrain);

/// The elements [begin, end) of a tensor in row order, as boxes; few, when the ends are at rows.
std::vector<Box> boxes_of(const Shape& shape, std::uint64_t begin, std::uint64_t end);

}  // namespace ringmaster::storage

// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "storage/layout/divide.h"

namespace ringmaster::storage {

namespace {

/// How many elements before it lies the element at `at` of a box that is stored row by row.
std::uint64_t place_in(const Box& box, const Shape& at) {
  std::uint64_t place = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    CHECK_LE(box.offset[d], at[d]);
    place = place * box.shape[d] + (at[d] - box.offset[d]);
  }
  return place;
}

/// How many of the last dimensions of `common` are contiguous in a box that holds it: those that
/// are as wide as the box, and one more.
std::size_t contiguous(const Box& common, const Box& box) {
  std::size_t d = common.shape.size();
  std::size_t count = 0;
  while (d > 0) {
    --d;
    ++count;
    if (common.shape[d] != box.shape[d]) break;
  }
  return count;
}

/// Moves `at` to the next run of `common`, whose last `inner` dimensions are one run. False at the
/// end.
bool next_run(const Box& common, std::size_t inner, Shape& at) {
  for (std::size_t d = at.size() - inner; d > 0;) {
    --d;
    if (++at[d] < common.offset[d] + common.shape[d]) return true;
    at[d] = common.offset[d];
  }
  return false;
}

/// Appends the reads of what a chunk and a wanted box have in common. False: too many.
bool append_reads(const Chunk& chunk, const Box& box, std::uint64_t size, std::size_t wanted,
                  std::vector<Read>& reads) {
  const auto common = intersect(chunk.box, box);
  if (!common) return true;
  const std::size_t inner = std::min(contiguous(*common, chunk.box), contiguous(*common, box));
  std::uint64_t run = size;
  for (std::size_t d = common->shape.size() - inner; d < common->shape.size(); ++d) {
    run *= common->shape[d];
  }
  Shape at = common->offset;
  do {
    if (reads.size() >= kReadsMax) return false;
    reads.push_back({chunk.shard, chunk.begin + place_in(chunk.box, at) * size, run, wanted,
                     place_in(box, at) * size});
  } while (next_run(*common, inner, at));
  return true;
}

/// Joins reads that follow each other in the shard and in the buffer.
std::vector<Read> join(std::vector<Read> reads) {
  std::sort(reads.begin(), reads.end(), [](const Read& a, const Read& b) {
    return std::tie(a.shard, a.begin, a.wanted) < std::tie(b.shard, b.begin, b.wanted);
  });
  std::vector<Read> joined;
  for (const Read& read : reads) {
    Read* last = joined.empty() ? nullptr : &joined.back();
    if (last != nullptr && last->shard == read.shard && last->wanted == read.wanted &&
        last->begin + last->bytes == read.begin && last->into + last->bytes == read.into) {
      last->bytes += read.bytes;
    } else {
      joined.push_back(read);
    }
  }
  return joined;
}

}  // namespace

Result<std::vector<Read>> plan_reads(const Manifest& manifest, const std::vector<Wanted>& wanted) {
  std::vector<Read> reads;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    if (wanted[w].tensor >= manifest.tensors.size() ||
        !is_inside(wanted[w].box, manifest.tensors[wanted[w].tensor].tensor.shape)) {
      return Error{Errc::invalid, fmt::format("load: the wanted box {} is in no tensor", w)};
    }
    const StoredTensor& stored = manifest.tensors[wanted[w].tensor];
    if (elements_of(wanted[w].box.shape) == 0) continue;
    for (const Chunk& chunk : stored.chunks) {
      if (!append_reads(chunk, wanted[w].box, dtype_bytes(stored.tensor.dtype), w, reads)) {
        return Error{Errc::exhausted, fmt::format("load: more than {} reads", kReadsMax)};
      }
    }
  }
  return join(std::move(reads));
}

std::vector<Wanted> share_of_load(const Manifest& manifest, std::int64_t position,
                                  std::int64_t ranks) {
  CHECK_LE(std::int64_t{0}, position);
  CHECK_LT(position, ranks);
  std::vector<Tensor> tensors;
  for (const StoredTensor& stored : manifest.tensors) tensors.push_back(stored.tensor);
  std::vector<Wanted> wanted;
  auto parts = divide(tensors, ranks);
  for (Part& part : parts[static_cast<std::size_t>(position)]) {
    wanted.push_back({part.tensor, std::move(part.box)});
  }
  return wanted;
}

}  // namespace ringmaster::storage

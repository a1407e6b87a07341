// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/reads.h"

#include <gtest/gtest.h>

#include "storage/layout/random_layout.h"

namespace ringmaster::storage {
namespace {

/// Calls `visit` with the place of each element of the box: in the tensor, and in the box.
template <class Visit>
void for_each_element(const Shape& shape, const Box& box, Visit visit) {
  const std::uint64_t count = elements_of(box.shape);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t rest = i, place = 0, scale = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += (box.offset[d] + rest % box.shape[d]) * scale;
      rest /= box.shape[d];
      scale *= shape[d];
    }
    visit(place, i);
  }
}

/// The bytes of a tensor's element, different for each.
std::string element(std::size_t tensor, std::uint64_t place, std::uint64_t size) {
  std::string bytes(size, '\0');
  for (std::uint64_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(tensor * 83 + place * 7 + i * 31);
  }
  return bytes;
}

std::string buffer_of(const Manifest& manifest, std::size_t tensor, const Box& box) {
  const Tensor& of = manifest.tensors[tensor].tensor;
  const std::uint64_t size = dtype_bytes(of.dtype);
  std::string buffer(elements_of(box.shape) * size, '\0');
  for_each_element(of.shape, box, [&](std::uint64_t place, std::uint64_t i) {
    buffer.replace(i * size, size, element(tensor, place, size));
  });
  return buffer;
}

std::vector<std::string> write_shards(const Manifest& manifest) {
  std::vector<std::string> shards;
  for (const Shard& shard : manifest.shards) shards.emplace_back(shard.bytes, '?');
  for (std::size_t t = 0; t < manifest.tensors.size(); ++t) {
    for (const Chunk& chunk : manifest.tensors[t].chunks) {
      const std::string bytes = buffer_of(manifest, t, chunk.box);
      shards[chunk.shard].replace(chunk.begin, bytes.size(), bytes);
    }
  }
  return shards;
}

void check_load(const Manifest& manifest, const std::vector<Wanted>& wanted) {
  const auto shards = write_shards(manifest);
  std::vector<std::string> buffers;
  std::uint64_t bytes = 0, read_bytes = 0;
  for (const Wanted& w : wanted) {
    const Dtype dtype = manifest.tensors[w.tensor].tensor.dtype;
    buffers.emplace_back(elements_of(w.box.shape) * dtype_bytes(dtype), '?');
    bytes += buffers.back().size();
  }
  const auto reads = plan_reads(manifest, wanted);
  ASSERT_TRUE(reads.ok()) << reads.error().message;
  for (const Read& read : *reads) {
    ASSERT_LE(read.begin + read.bytes, shards[read.shard].size());
    ASSERT_LE(read.into + read.bytes, buffers[read.wanted].size());
    buffers[read.wanted].replace(read.into, read.bytes, shards[read.shard], read.begin, read.bytes);
    read_bytes += read.bytes;
  }
  EXPECT_EQ(read_bytes, bytes);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(buffers[i], buffer_of(manifest, wanted[i].tensor, wanted[i].box));
  }
}

TEST(Reads, WhatAnyNumberSavedAnyNumberLoads) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto tensors = random_tensors(random);
    const auto saved = static_cast<std::int64_t>(random.below(6)) + 1;
    const auto loading = static_cast<std::int64_t>(random.below(6)) + 1;
    const Manifest manifest = make_manifest(tensors, saved, 1ULL << random.below(8));
    std::uint64_t shared = 0, all = 0;
    for (std::int64_t p = 0; p < loading; ++p) {
      const auto wanted = share_of_load(manifest, p, loading);
      check_load(manifest, wanted);
      for (const Wanted& w : wanted) {
        shared += *bytes_of(tensors[w.tensor].dtype, w.box.shape);
      }
    }
    for (const Tensor& tensor : tensors) all += *bytes_of(tensor.dtype, tensor.shape);
    EXPECT_EQ(shared, all);
  }
}

TEST(Reads, AnyBoxesComeOutRight) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto tensors = random_tensors(random);
    const Manifest manifest = make_manifest(tensors, 3, 1ULL << random.below(8));
    std::vector<Wanted> wanted;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      Box box;
      for (const std::uint64_t extent : tensors[t].shape) {
        box.offset.push_back(random.below(extent + 1));
        box.shape.push_back(random.below(extent - box.offset.back() + 1));
      }
      wanted.push_back({t, box});
    }
    check_load(manifest, wanted);
  }
}

TEST(Reads, AWholeTensorFromOneShardIsOneRead) {
  const Manifest manifest = make_manifest({{"w", Dtype::f32, {50, 40}}}, 1, kGrain);
  const auto reads = plan_reads(manifest, {{0, whole({50, 40})}});
  ASSERT_EQ(reads->size(), 1U);
  EXPECT_EQ(reads->front().bytes, 8000U);
  EXPECT_EQ(plan_reads(manifest, {{0, {{49, 0}, {2, 40}}}}).error().code, Errc::invalid);
  EXPECT_EQ(plan_reads(manifest, {{1, {}}}).error().code, Errc::invalid);
}

}  // namespace
}  // namespace ringmaster::storage

// SPDX-License-Identifier: Apache-2.0
//
// Random tensors and manifests, for tests. Header only.
#pragma once

#include <fmt/format.h>

#include "base/random.h"
#include "storage/layout/divide.h"
#include "storage/layout/manifest.h"

namespace ringmaster::storage {

inline std::vector<Tensor> random_tensors(Random& random, std::uint64_t count_max = 6) {
  static constexpr Dtype kSome[] = {Dtype::u8, Dtype::bf16, Dtype::f32, Dtype::i64};
  std::vector<Tensor> tensors;
  for (std::uint64_t i = random.below(count_max + 1); i > 0; --i) {
    Tensor tensor{fmt::format("layer.{}\"\\ {}", i, random.below(100)), kSome[random.below(4)], {}};
    for (std::uint64_t d = random.below(4); d > 0; --d) {
      tensor.shape.push_back(random.chance(0.05) ? 0 : random.below(7) + 1);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// A manifest of these tensors, divided over `ranks`, as write_shard would place them: in each
/// shard one chunk after the other behind a header of 64 bytes.
inline Manifest make_manifest(const std::vector<Tensor>& tensors, std::int64_t ranks,
                              std::uint64_t grain, CheckpointName name = {1, 0}) {
  Manifest manifest{"job", name, ranks, {}, {}};
  for (const Tensor& tensor : tensors) manifest.tensors.push_back({tensor, {}});
  const auto parts = divide(tensors, ranks, grain);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    std::uint64_t place = 64;
    for (const Part& part : parts[r]) {
      manifest.tensors[part.tensor].chunks.push_back({part.box, r, place});
      place += *bytes_of(tensors[part.tensor].dtype, part.box.shape);
    }
    const auto crc = static_cast<std::uint32_t>(r);
    manifest.shards.push_back(
        {shard_key("job", {name, static_cast<std::int64_t>(r), ranks}, crc), place, crc});
  }
  return manifest;
}

}  // namespace ringmaster::storage

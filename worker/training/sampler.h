// SPDX-License-Identifier: Apache-2.0
//
// Says which samples a step uses, and which of them a position computes.
//
// Everything is a function of the seed, the step and the membership: no cursor to keep, to save or
// to lose. A rank that comes back at step k after a loss knows step k's batch from the number
// alone.
//
// The global batch is constant whatever the number of ranks; the last one of an epoch may be short,
// so that each sample is used exactly once an epoch.
//
// Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace ringmaster::training {

/// Places first to first + images - 1 of epoch `epoch`'s permutation.
struct Batch {
  std::int64_t epoch = 0;
  std::int64_t first = 0;
  std::int64_t images = 0;
};

/// A contiguous piece of a batch: `count` places from `first`, counted within the batch.
struct Share {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

std::int64_t steps_per_epoch(std::int64_t train_images, std::int64_t batch);
Batch batch_of_step(std::int64_t step, std::int64_t train_images, std::int64_t batch);

/// The order of an epoch's samples: a permutation of 0 .. train_images - 1.
std::vector<std::uint32_t> permutation(std::uint64_t seed, std::int64_t epoch,
                                       std::int64_t train_images);

/// What position `position` of `size` takes of `images` places: sizes differ by at most one; the
/// lower positions take the longer ones. May be empty.
Share share_of(std::int64_t images, int size, int position);

}  // namespace ringmaster::training

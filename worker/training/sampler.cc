// SPDX-License-Identifier: Apache-2.0
#include "worker/training/sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/random.h"

namespace ringmaster::training {

std::int64_t steps_per_epoch(std::int64_t train_images, std::int64_t batch) {
  CHECK_LT(0, train_images);
  CHECK_LT(0, batch);
  return (train_images + batch - 1) / batch;
}

Batch batch_of_step(std::int64_t step, std::int64_t train_images, std::int64_t batch) {
  CHECK_LE(0, step);
  const std::int64_t steps = steps_per_epoch(train_images, batch);
  const std::int64_t first = step % steps * batch;
  return {.epoch = step / steps, .first = first, .images = std::min(batch, train_images - first)};
}

std::vector<std::uint32_t> permutation(std::uint64_t seed, std::int64_t epoch,
                                       std::int64_t train_images) {
  CHECK_LT(train_images, std::int64_t{1} << 32);
  // Two generators, so that epoch 1 of seed 7 has nothing to do with epoch 0 of seed 8.
  Random random(Random(seed).next() + static_cast<std::uint64_t>(epoch));
  std::vector<std::uint32_t> order(static_cast<std::size_t>(train_images));
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Share share_of(std::int64_t images, int size, int position) {
  CHECK_LE(0, images);
  CHECK_LE(0, position);
  CHECK_LT(position, size);
  const std::int64_t each = images / size, longer = images % size;
  return {.first = position * each + std::min<std::int64_t>(position, longer),
          .count = each + (position < longer ? 1 : 0)};
}

}  // namespace ringmaster::training

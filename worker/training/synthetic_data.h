// SPDX-License-Identifier: Apache-2.0
//
// Images that a network can learn in a few steps, made from a seed: tests need no data set.
//
// Each image shows a bright square over noise, at a place that its label gives. Header only, for
// tests.
#pragma once

#include "base/random.h"
#include "worker/training/dataset.h"

namespace ringmaster::training {

inline Dataset make_synthetic_data(std::size_t images, std::uint64_t seed) {
  Random random(seed);
  Dataset data;
  for (std::size_t i = 0; i < images; ++i) {
    const auto label = static_cast<std::uint8_t>(random.below(kClasses));
    data.labels.push_back(label);
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      const std::size_t row = pixel / kSide / 4, column = pixel % kSide / 4;
      const bool bright = row == 2 + 2U * (label / 5U) && column == 1 + label % 5U;
      data.pixels.push_back(static_cast<std::uint8_t>(random.below(60) + (bright ? 180 : 0)));
    }
  }
  return data;
}

}  // namespace ringmaster::training

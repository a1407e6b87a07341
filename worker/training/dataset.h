// SPDX-License-Identifier: Apache-2.0
//
// Dataset: labelled 28x28 grey images as bytes, and how they are read from a folder.
//
// Bytes, not floats: 60,000 images are 47 MB a rank instead of 188, and turning a pixel into a
// float when it is used costs nothing beside the network.
//
// Not here: the file format (idx.h) and the order in which samples are used (sampler.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::training {

inline constexpr std::size_t kSide = 28;
inline constexpr std::size_t kPixels = kSide * kSide;
inline constexpr std::size_t kClasses = 10;
// The mean and 1 / deviation of Fashion-MNIST's training pixels: networks learn faster from inputs
// around 0 with a deviation of 1.
inline constexpr float kMean = 72.94F;
inline constexpr float kScale = 1.0F / 90.02F;

struct Dataset {
  std::vector<std::uint8_t> pixels;  // kPixels an image
  std::vector<std::uint8_t> labels;  // each below kClasses

  std::size_t size() const { return labels.size(); }
  std::span<const std::uint8_t> image(std::size_t index) const {
    return std::span(pixels).subspan(index * kPixels, kPixels);
  }
  std::uint8_t label(std::size_t index) const { return labels[index]; }
};

/// Reads FOLDER/PREFIX-images-idx3-ubyte and FOLDER/PREFIX-labels-idx1-ubyte, each with or without
/// ".gz". Only the first `most` images are read and checked (0: all, and then nothing may follow).
Result<Dataset> read_dataset(const std::string& folder, const std::string& prefix,
                             std::size_t most);

}  // namespace ringmaster::training

// SPDX-License-Identifier: Apache-2.0
//
// Reads IDX, the format of MNIST-like data sets: two zero bytes, a type, the number of dimensions,
// each dimension as a big-endian 32-bit number, then the elements.
//
// A parser over bytes with no file in it, so that any bytes can be thrown at it. A header is only
// believed as far as the bytes that follow bear it out: nothing is allocated from a size it names.
//
// Pure. Not here: files and their compression (dataset.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace ringmaster::training {

using Bytes = std::span<const std::uint8_t>;

inline constexpr std::size_t kImagesHeader = 16;
inline constexpr std::size_t kLabelsHeader = 8;

/// The pixels of 28x28 images, a view into `bytes`. `name` stands in errors. Of a file cut off
/// after its first `most` images (0: whole) only those are returned.
Result<Bytes> parse_images(Bytes bytes, std::string_view name, std::size_t most);

/// The labels, a view into `bytes`: each is at most 9.
Result<Bytes> parse_labels(Bytes bytes, std::string_view name, std::size_t most);

}  // namespace ringmaster::training

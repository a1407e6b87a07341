// SPDX-License-Identifier: Apache-2.0
//
// Makes small IDX files for tests of their readers. Header only.
#pragma once

#include <cstdint>
#include <vector>

#include "worker/training/dataset.h"

namespace ringmaster::training {

inline void append_number(std::vector<std::uint8_t>* bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes->push_back(static_cast<std::uint8_t>(number >> shift));
  }
}

/// `count` images; pixel p of image i is i + p.
inline std::vector<std::uint8_t> idx_images(std::uint32_t count) {
  std::vector<std::uint8_t> bytes;
  append_number(&bytes, 0x803);
  append_number(&bytes, count);
  append_number(&bytes, kSide);
  append_number(&bytes, kSide);
  for (std::size_t image = 0; image < count; ++image) {
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      bytes.push_back(static_cast<std::uint8_t>(image + pixel));
    }
  }
  return bytes;
}

inline std::vector<std::uint8_t> idx_labels(const std::vector<std::uint8_t>& labels) {
  std::vector<std::uint8_t> bytes;
  append_number(&bytes, 0x801);
  append_number(&bytes, static_cast<std::uint32_t>(labels.size()));
  bytes.insert(bytes.end(), labels.begin(), labels.end());
  return bytes;
}

}  // namespace ringmaster::training

// SPDX-License-Identifier: Apache-2.0
#include "worker/training/idx.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "worker/training/dataset.h"
#include "worker/training/idx_writer.h"

namespace ringmaster::training {
namespace {

using Buffer = std::vector<std::uint8_t>;

std::string error_of(const Result<Bytes>& result) {
  return result ? "no error" : result.error().message;
}

TEST(Idx, ReadsImagesAndLabels) {
  const Buffer images = idx_images(3), labels = idx_labels({7, 0, 9});
  auto pixels = parse_images(images, "images", 0);
  ASSERT_TRUE(pixels.ok());
  EXPECT_EQ(pixels->data(), images.data() + 16);
  EXPECT_EQ(pixels->size(), 3 * kPixels);
  auto read = parse_labels(labels, "labels", 0);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(Buffer(read->begin(), read->end()), (Buffer{7, 0, 9}));
}

TEST(Idx, ReadsTheFirstOfAFileCutOff) {
  Buffer images = idx_images(5);
  images.resize(16 + 2 * kPixels);
  EXPECT_EQ(parse_images(images, "i", 2)->size(), 2 * kPixels);
  EXPECT_EQ(error_of(parse_images(images, "i", 3)),
            "i: too short: 1568 bytes behind the header, 2352 expected for 3 items of 784 bytes");
  EXPECT_EQ(parse_labels(idx_labels({1, 2, 3}), "l", 10)->size(), 3U);
}

TEST(Idx, NamesFileAndFault) {
  Buffer labels = idx_labels({1, 2, 10});
  EXPECT_EQ(error_of(parse_labels(labels, "l", 0)), "l: label 10 of image 2 is above 9");
  labels.push_back(0);
  EXPECT_EQ(error_of(parse_labels(labels, "l", 0)), "l: 1 bytes too many behind its 3 items");
  labels.resize(9);
  EXPECT_EQ(error_of(parse_labels(labels, "l", 0)),
            "l: too short: 1 bytes behind the header, 3 expected for 3 items of 1 bytes");
  labels.resize(7);
  EXPECT_EQ(error_of(parse_labels(labels, "l", 0)),
            "l: too short: 7 bytes, the header alone has 8");
  EXPECT_EQ(error_of(parse_labels({}, "l", 0)), "l: too short: 0 bytes, the header alone has 8");
  EXPECT_EQ(error_of(parse_labels(idx_labels({}), "l", 0)), "l: it holds nothing");
  EXPECT_EQ(error_of(parse_labels(idx_images(1), "l", 0)),
            "l: not the IDX file it should be: it starts with 0x00000803, expected 0x00000801");

  Buffer images = idx_images(1);
  images[11] = 14;
  EXPECT_EQ(error_of(parse_images(images, "i", 0)), "i: its images are 14x28, expected 28x28");
}

TEST(Idx, BelievesNoSizeThatTheBytesDoNotBearOut) {
  Buffer images = idx_images(1);
  for (std::size_t i = 4; i < 8; ++i) images[i] = 0xff;
  EXPECT_EQ(error_of(parse_images(images, "i", 0)),
            "i: too short: 784 bytes behind the header, 3367254359280 expected for 4294967295 "
            "items of 784 bytes");
}

// Whatever the bytes: an error, or a view inside them that keeps every promise.
TEST(Idx, SurvivesDamagedFiles) {
  const Buffer images = idx_images(2), labels = idx_labels({1, 2, 3, 4});
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    const bool image_file = random.chance(0.5);
    Buffer bytes = image_file ? images : labels;
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
      // Mostly in the header, where the decisions are.
      const std::uint64_t reach =
          random.chance(0.8) ? std::min<std::size_t>(bytes.size(), 20) : bytes.size();
      if (reach > 0) bytes[random.below(reach)] = static_cast<std::uint8_t>(random.next());
      if (random.chance(0.3)) bytes.resize(random.below(bytes.size() + 2));
    }
    const std::size_t most = random.below(4);
    auto read = image_file ? parse_images(bytes, "f", most) : parse_labels(bytes, "f", most);
    ++(read ? accepted : refused);
    if (!read) {
      EXPECT_EQ(read.error().code, Errc::corrupt) << "seed " << seed;
      continue;
    }
    ASSERT_LE(bytes.data(), read->data()) << "seed " << seed;
    ASSERT_LE(read->data() + read->size(), bytes.data() + bytes.size()) << "seed " << seed;
    ASSERT_EQ(read->size() % (image_file ? kPixels : 1), 0U) << "seed " << seed;
    if (image_file) continue;
    for (const std::uint8_t label : *read) ASSERT_LT(label, kClasses) << "seed " << seed;
  }
  EXPECT_LT(100, accepted);
  EXPECT_LT(100, refused);
}

}  // namespace
}  // namespace ringmaster::training

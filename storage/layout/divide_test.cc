// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/divide.h"

#include <gtest/gtest.h>

#include "storage/layout/random_layout.h"

namespace ringmaster::storage {
namespace {

std::uint64_t bytes_of_parts(const std::vector<Tensor>& tensors, const std::vector<Part>& parts) {
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += *bytes_of(tensors[part.tensor].dtype, part.box.shape);
  return sum;
}

TEST(Divide, EveryElementIsThereOnceAndRanksDifferByAGrain) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto tensors = random_tensors(random);
    const auto ranks = static_cast<std::int64_t>(random.below(9)) + 1;
    const std::uint64_t grain = 1ULL << random.below(10);
    // check_manifest proves that the chunks cover the tensors.
    const Manifest manifest = make_manifest(tensors, ranks, grain);
    const auto good = check_manifest(manifest);
    ASSERT_TRUE(good.ok()) << good.error().message;
    std::uint64_t total = 0;
    for (const Tensor& tensor : tensors) total += *bytes_of(tensor.dtype, tensor.shape);
    const std::uint64_t most = total / static_cast<std::uint64_t>(ranks) + std::max(grain, 8UL) + 9;
    for (const auto& parts : divide(tensors, ranks, grain)) {
      ASSERT_LE(bytes_of_parts(tensors, parts), most);
    }
  }
}

TEST(Divide, SmallTensorsStayWholeAndLargeOnesAreCutBetweenRows) {
  const std::vector<Tensor> tensors = {{"w", Dtype::f32, {1000, 1024}}, {"b", Dtype::f32, {1000}}};
  const auto parts = divide(tensors, 3);
  // 4,100,000 bytes: a third is 333 rows and a bit. The vector is below a grain.
  EXPECT_EQ(parts[0], (std::vector<Part>{{0, {{0, 0}, {333, 1024}}}}));
  EXPECT_EQ(parts[1], (std::vector<Part>{{0, {{333, 0}, {334, 1024}}}}));
  EXPECT_EQ(parts[2], (std::vector<Part>{{0, {{667, 0}, {333, 1024}}}, {1, {{0}, {1000}}}}));
}

TEST(Divide, BoxesOfAStretchAreThatStretch) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Shape shape;
    for (std::uint64_t d = random.below(4) + 1; d > 0; --d) shape.push_back(random.below(5) + 1);
    const std::uint64_t elements = elements_of(shape);
    const std::uint64_t begin = random.below(elements + 1);
    const std::uint64_t end = begin + random.below(elements - begin + 1);
    std::uint64_t next = begin;
    const auto boxes = boxes_of(shape, begin, end);
    EXPECT_LE(boxes.size(), 2 * shape.size());
    for (const Box& box : boxes) {
      ASSERT_TRUE(is_inside(box, shape));
      std::uint64_t place = 0;
      for (std::size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + box.offset[d];
      EXPECT_EQ(place, next);
      next += elements_of(box.shape);
    }
    EXPECT_EQ(next, end);
  }
}

}  // namespace
}  // namespace ringmaster::storage

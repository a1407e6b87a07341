// SPDX-License-Identifier: Apache-2.0
//
// Data set files: what is accepted is a stretch of the input, of whole items, and no more of them
// than were asked for.
#include "base/check.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"
#include "worker/training/idx.h"
#include "worker/training/idx_writer.h"

namespace ringmaster::fuzz {

namespace {

void check_part(const Result<training::Bytes>& part, training::Bytes bytes, std::size_t item,
                std::size_t most) {
  if (!part) {
    CHECK(!part.error().message.empty());
    return;
  }
  CHECK_LT(std::size_t{0}, part->size());
  CHECK_EQ(part->size() % item, std::size_t{0});
  if (most > 0) CHECK_LE(part->size() / item, most);
  CHECK(part->data() >= bytes.data());
  CHECK(part->data() + part->size() <= bytes.data() + bytes.size());
}

void run(std::string_view input) {
  Input in(input);
  const std::size_t most = in.below(4);
  const std::string_view rest = in.rest();
  const training::Bytes bytes(reinterpret_cast<const std::uint8_t*>(rest.data()), rest.size());
  check_part(training::parse_images(bytes, "images", most), bytes, training::kPixels, most);
  const auto labels = training::parse_labels(bytes, "labels", most);
  check_part(labels, bytes, 1, most);
  if (!labels) return;
  for (const std::uint8_t label : *labels) CHECK_LT(int{label}, int{training::kClasses});
}

std::string seed(char most, const std::vector<std::uint8_t>& file) {
  return most + std::string(file.begin(), file.end());
}

}  // namespace

Target idx_target() {
  using training::idx_images;
  using training::idx_labels;
  return {"idx",
          {seed(0, idx_images(1)), seed(0, idx_images(3)), seed(2, idx_images(3)),
           seed(0, idx_labels({9})), seed(0, idx_labels({1, 2, 3})), seed(2, idx_labels({1, 2, 3})),
           seed(0, {})},
          &run,
          20000};
}

}  // namespace ringmaster::fuzz

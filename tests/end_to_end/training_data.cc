// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/training_data.h"

#include <cstdint>

#include "base/check.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"
#include "worker/training/idx_writer.h"
#include "worker/training/synthetic_data.h"

namespace ringmaster::tests {

namespace {

void write_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  write_text(path, std::string(bytes.begin(), bytes.end()));
}

void write_images(const std::string& folder, const std::string& name, std::size_t count,
                  std::uint64_t seed) {
  const auto data = training::make_synthetic_data(count, seed);
  auto images = training::idx_images(0);
  images.resize(images.size() - 12);  // the header up to the count, which follows
  for (const std::uint32_t number :
       {static_cast<std::uint32_t>(count), std::uint32_t{28}, std::uint32_t{28}}) {
    training::append_number(&images, number);
  }
  images.insert(images.end(), data.pixels.begin(), data.pixels.end());
  write_file(folder + "/" + name + "-images-idx3-ubyte", images);
  write_file(folder + "/" + name + "-labels-idx1-ubyte", training::idx_labels(data.labels));
}

}  // namespace

const std::string& data_folder() {
  static const TemporaryFolder folder;
  static const bool written = [] {
    write_images(folder.path(), "train", kTrainImages, 1);
    write_images(folder.path(), "t10k", kTestImages, 2);
    return true;
  }();
  CHECK(written);
  return folder.path();
}

}  // namespace ringmaster::tests

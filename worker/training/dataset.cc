// SPDX-License-Identifier: Apache-2.0
#include "worker/training/dataset.h"

#include <fmt/format.h>

#include <filesystem>

#include "worker/training/idx.h"
#include "worker/training/packed_file.h"

namespace ringmaster::training {

namespace {

// Four times the training set: larger files are not this data set.
constexpr std::size_t kLargestFile = 200'000'000;

struct File {
  std::string path;
  std::vector<std::uint8_t> bytes;
};

Result<File> read_file(const std::string& folder, const std::string& name, std::size_t most) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path plain = fs::path(folder) / name, packed = fs::path(folder) / (name + ".gz");
  const bool packed_there = fs::exists(packed, ignored);
  if (!packed_there && !fs::exists(plain, ignored)) {
    return Error{Errc::not_found,
                 fmt::format("{}: no such file, with or without .gz: install the data set with "
                             "\"apt-get install dataset-fashion-mnist\", or name its folder with "
                             "--data",
                             plain.string())};
  }
  const std::string path = packed_there ? packed.string() : plain.string();
  auto bytes = read_packed_file(path, most == 0 ? kLargestFile + 1 : most);
  if (!bytes) return bytes.error();
  if (bytes->size() > kLargestFile) {
    return Error{Errc::corrupt,
                 fmt::format("{}: larger than the {} bytes that are read", path, kLargestFile)};
  }
  return File{path, std::move(*bytes)};
}

}  // namespace

Result<Dataset> read_dataset(const std::string& folder, const std::string& prefix,
                             std::size_t most) {
  const auto limit = [&](std::size_t header, std::size_t element) {
    return most == 0 ? 0 : header + most * element;
  };
  auto label_file = read_file(folder, prefix + "-labels-idx1-ubyte", limit(kLabelsHeader, 1));
  if (!label_file) return label_file.error();
  auto labels = parse_labels(label_file->bytes, label_file->path, most);
  if (!labels) return labels.error();
  auto image_file = read_file(folder, prefix + "-images-idx3-ubyte", limit(kImagesHeader, kPixels));
  if (!image_file) return image_file.error();
  auto images = parse_images(image_file->bytes, image_file->path, most);
  if (!images) return images.error();
  if (images->size() / kPixels != labels->size()) {
    return Error{Errc::corrupt,
                 fmt::format("{} holds {} images, {} holds {} labels", image_file->path,
                             images->size() / kPixels, label_file->path, labels->size())};
  }
  Dataset data;
  data.labels.assign(labels->begin(), labels->end());
  image_file->bytes.erase(image_file->bytes.begin(), image_file->bytes.begin() + kImagesHeader);
  data.pixels = std::move(image_file->bytes);
  return data;
}

}  // namespace ringmaster::training

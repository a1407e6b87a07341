// SPDX-License-Identifier: Apache-2.0
#include "worker/training/dataset.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "worker/training/idx_writer.h"
#include "worker/training/packed_file.h"

namespace ringmaster::training {
namespace {

using Buffer = std::vector<std::uint8_t>;

/// A folder with files that goes away with the test.
class DatasetFolder : public testing::Test {
 protected:
  DatasetFolder() {
    std::string name = testing::TempDir() + "dataset.XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~DatasetFolder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const Buffer& bytes) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    CHECK(file.good());
  }
  void write_packed(const std::string& name, const Buffer& bytes) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    CHECK(file != nullptr);
    CHECK_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
             static_cast<int>(bytes.size()));
    CHECK_EQ(gzclose(file), Z_OK);
  }
  Buffer read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return Buffer(std::istreambuf_iterator<char>(file), {});
  }
  std::string error_of(std::size_t most = 0) const {
    auto data = read_dataset(folder_, "train", most);
    if (data) return "no error";
    // The folder's name is random: leave it out.
    std::string text = data.error().message;
    for (auto at = text.find(folder_); at != std::string::npos; at = text.find(folder_)) {
      text.erase(at, folder_.size() + 1);
    }
    return text;
  }

  std::string folder_;
  const std::string images_ = "train-images-idx3-ubyte", labels_ = "train-labels-idx1-ubyte";
};

TEST_F(DatasetFolder, ReadsPackedAndPlainFiles) {
  write_packed(images_ + ".gz", idx_images(3));
  write(labels_, idx_labels({4, 5, 6}));
  auto data = read_dataset(folder_, "train", 0);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->size(), 3U);
  EXPECT_EQ(data->label(1), 5);
  EXPECT_EQ(data->image(2)[10], 12);
  EXPECT_EQ(data->image(2).size(), kPixels);
  auto some = read_dataset(folder_, "train", 2);
  ASSERT_TRUE(some.ok()) << some.error().message;
  EXPECT_EQ(some->size(), 2U);
  EXPECT_EQ(some->pixels.size(), 2 * kPixels);
}

TEST_F(DatasetFolder, SaysHowToGetTheDataSet) {
  const std::string text = error_of();
  EXPECT_NE(text.find(labels_ + ": no such file"), std::string::npos) << text;
  EXPECT_NE(text.find("apt-get install dataset-fashion-mnist"), std::string::npos) << text;
  EXPECT_NE(text.find("--data"), std::string::npos) << text;
}

TEST_F(DatasetFolder, NamesTheDamagedFile) {
  write(labels_, idx_labels({4, 5}));
  write(images_, idx_images(3));
  EXPECT_EQ(error_of(), images_ + " holds 3 images, " + labels_ + " holds 2 labels");
  write(images_, Buffer(20, 0));
  EXPECT_EQ(error_of(), images_ +
                            ": not the IDX file it should be: it starts with 0x00000000, "
                            "expected 0x00000803");
  std::filesystem::remove(path(images_));
  std::filesystem::create_directory(path(images_));
  EXPECT_EQ(error_of(), "read " + images_ + ": Is a directory");
}

TEST_F(DatasetFolder, NamesTheDamageInPackedFiles) {
  write(labels_, idx_labels({4, 5}));
  write_packed(images_ + ".gz", idx_images(2));
  Buffer packed = read(images_ + ".gz");
  const Buffer whole = packed;
  packed.resize(packed.size() / 2);
  write(images_ + ".gz", packed);
  EXPECT_EQ(error_of(), images_ + ".gz: damaged gzip data: it ends in the middle");
  packed = whole;
  packed[packed.size() - 6] ^= 1;  // in the checksum
  write(images_ + ".gz", packed);
  EXPECT_EQ(error_of(), images_ + ".gz: damaged gzip data: incorrect data check");
}

TEST_F(DatasetFolder, ABombIsCutOff) {
  write_packed("zeros.gz", Buffer(10'000'000, 0));
  EXPECT_LT(read("zeros.gz").size(), 20'000U);
  auto bytes = read_packed_file(path("zeros.gz"), 5000);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->size(), 5000U);
}

TEST_F(DatasetFolder, SurvivesDamagedPackedFiles) {
  write(labels_, idx_labels({4, 5}));
  write_packed(images_ + ".gz", idx_images(2));
  const Buffer whole = read(images_ + ".gz");
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    Buffer packed = whole;
    packed[random.below(packed.size())] = static_cast<std::uint8_t>(random.next());
    if (random.chance(0.3)) packed.resize(random.below(packed.size()));
    write(images_ + ".gz", packed);
    auto data = read_dataset(folder_, "train", 0);
    refused += data ? 0 : 1;
    if (!data) continue;
    EXPECT_EQ(data->pixels.size(), 2 * kPixels) << "seed " << seed;
  }
  EXPECT_LT(400, refused);
}

}  // namespace
}  // namespace ringmaster::training

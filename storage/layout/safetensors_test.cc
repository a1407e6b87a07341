// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/safetensors.h"

#include <gtest/gtest.h>

#include "storage/layout/random_layout.h"

namespace ringmaster::storage {
namespace {

Result<SafetensorsHeader> decode_file(std::string_view file, std::uint64_t file_bytes) {
  const auto bytes = safetensors_header_bytes(file, file_bytes);
  if (!bytes) return bytes.error();
  return decode_safetensors(file.substr(kLengthBytes, *bytes), file_bytes);
}

TEST(Safetensors, ComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<SafetensorsEntry> entries;
    for (const Tensor& tensor : random_tensors(random)) {
      entries.push_back({tensor.name, tensor.dtype, tensor.shape});
    }
    const std::string head = encode_safetensors(entries, {{"step", "7"}});
    EXPECT_EQ(head.size() % 8, 0U);
    const std::uint64_t data = entries.empty() ? 0 : entries.back().end;
    const auto header = decode_file(head, head.size() + data);
    ASSERT_TRUE(header.ok()) << header.error().message;
    EXPECT_EQ(header->data_begin, head.size());
    EXPECT_EQ(header->metadata.at("step"), "7");
    EXPECT_EQ(header->entries.size(), entries.size());
    for (const SafetensorsEntry& entry : header->entries) {
      EXPECT_NE(std::find(entries.begin(), entries.end(), entry), entries.end());
    }
    EXPECT_FALSE(decode_file(head, head.size() + data + 1).ok());
    if (data > 0) {
      EXPECT_FALSE(decode_file(head, head.size() + data - 1).ok());
    }
  }
}

TEST(Safetensors, ReadsWhatOtherProgramsWrite) {
  // Another order than that of the data, spaces, no metadata.
  const std::string json = R"( {"b": {"dtype":"F16","shape":[2],"data_offsets":[4,8]},)"
                           R"("a":{"shape":[],"data_offsets":[0,4],"dtype":"F32"}}  )";
  const auto header = decode_safetensors(json.substr(1), json.size() - 1 + 8 + 8);
  ASSERT_TRUE(header.ok()) << header.error().message;
  ASSERT_EQ(header->entries.size(), 2U);
  EXPECT_EQ(header->entries[0].name, "a");
  EXPECT_EQ(header->entries[1].shape, Shape{2});
}

TEST(Safetensors, RefusesWhatDoesNotAddUp) {
  const auto refused = [](const std::string& json, std::uint64_t data) {
    const auto header = decode_safetensors(json, kLengthBytes + json.size() + data);
    return !header.ok() && header.error().code == Errc::corrupt;
  };
  const std::string a = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  ASSERT_FALSE(refused("{" + a + "}", 4));
  EXPECT_TRUE(refused("", 0));
  EXPECT_TRUE(refused("[]", 0));
  EXPECT_TRUE(refused("{" + a, 4));
  EXPECT_TRUE(refused("{" + a + "," + a + "}", 4));
  EXPECT_TRUE(refused("{" + a + "}", 5));
  EXPECT_TRUE(refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8));
  EXPECT_TRUE(refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4));
  EXPECT_TRUE(refused(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4));
  EXPECT_TRUE(refused(R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4));
  EXPECT_TRUE(refused(R"({"a":{"dtype":"Q4","shape":[1],"data_offsets":[0,4]}})", 4));
  EXPECT_TRUE(refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4));
  EXPECT_TRUE(refused(R"({"__metadata__":{"a":1}})", 0));
  EXPECT_TRUE(
      refused(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0));
  EXPECT_FALSE(safetensors_header_bytes(std::string(8, '\xff'), 1000).ok());
  EXPECT_FALSE(safetensors_header_bytes("1234567", 7).ok());
}

}  // namespace
}  // namespace ringmaster::storage

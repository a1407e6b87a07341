// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/manifest.h"

#include <gtest/gtest.h>

#include "storage/layout/random_layout.h"
#include "storage/layout/records.h"
#include "storage/layout/seal.h"

namespace ringmaster::storage {
namespace {

TEST(Manifest, ComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Manifest manifest =
        make_manifest(random_tensors(random), static_cast<std::int64_t>(random.below(5)) + 1,
                      1ULL << random.below(8),
                      {static_cast<std::int64_t>(random.below(kTermMax)) + 1,
                       static_cast<std::int64_t>(random.below(kStepMax))});
    const auto text = encode_manifest(manifest);
    ASSERT_TRUE(text.ok()) << text.error().message;
    const auto back = decode_manifest(*text);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, manifest);
  }
}

TEST(Manifest, IsSpelledAsThePageSays) {
  const Manifest manifest = make_manifest({{"w", Dtype::f32, {2}}}, 1, kGrain, {3, 1200});
  EXPECT_EQ(*encode_manifest(manifest),
            "{\"format\":\"ringmaster-checkpoint\",\"version\":1,\"job\":\"job\",\"term\":3,"
            "\"step\":1200,\"world\":1,\"tensors\":[{\"name\":\"w\",\"dtype\":\"F32\",\"shape\":[2]"
            ",\"chunks\":[{\"offset\":[0],\"shape\":[2],\"shard\":0,\"begin\":64}]}],\"shards\":[{"
            "\"key\":\"job/shards/00000003-000000001200/00000-of-00001-00000000.safetensors\","
            "\"bytes\":72,\"crc32c\":\"00000000\"}],\"crc32c\":\"7b2ccf47\"}\n");
}

TEST(Manifest, AnyByteThatIsWrongOrMissingIsFound) {
  const Manifest manifest =
      make_manifest({{"w", Dtype::f32, {4, 3}}, {"b", Dtype::bf16, {}}}, 2, 8);
  const std::string text = *encode_manifest(manifest);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      ASSERT_FALSE(decode_manifest(flipped).ok()) << i << " " << bit;
    }
    ASSERT_EQ(decode_manifest(text.substr(0, i)).error().code, Errc::corrupt);
  }
  EXPECT_FALSE(decode_manifest(text + "\n").ok());
}

/// Seals the text anew after `from` in it became `to`.
std::string edited(const Manifest& manifest, const std::string& from, const std::string& to) {
  std::string text = *encode_manifest(manifest);
  text = text.substr(1, text.rfind("\"crc32c\"") - 1);
  const std::size_t at = text.find(from);
  CHECK(at != std::string::npos);
  return seal(text.replace(at, from.size(), to));
}

TEST(Manifest, ARightSealDoesNotMakeItRight) {
  const Manifest manifest = make_manifest({{"w", Dtype::f32, {4, 3}}}, 2, 8);
  ASSERT_TRUE(decode_manifest(edited(manifest, "job", "job")).ok());
  const std::vector<std::pair<std::string, std::string>> edits = {
      {"\"version\":1", "\"version\":2"},
      {"\"version\":1", "\"version\":1.0"},
      {"ringmaster-checkpoint", "ringmaster-term"},
      {"\"job\":\"job\"", "\"job\":\".job\""},
      {"\"term\":1", "\"term\":0"},
      {"\"step\":0", "\"step\":-1"},
      {"\"step\":0", "\"step\":0,\"step\":0"},
      {"\"step\":0", "\"step\": 0"},
      {"\"step\":0", "\"more\":1,\"step\":0"},
      {"\"world\":2", "\"world\":\"2\""},
      {"\"name\":\"w\"", "\"name\":\"w@1\""},
      {"\"name\":\"w\"", "\"name\":\"\\u0077\""},
      {"F32", "F31"},
      {"\"shape\":[4,3]", "\"shape\":[5,3]"},
      {"\"shape\":[4,3]", "\"shape\":[18446744073709551615,18446744073709551615]"},
      {"\"offset\":[0,0]", "\"offset\":[1,0]"},
      {"\"shard\":0", "\"shard\":2"},
      {"\"begin\":64", "\"begin\":18446744073709551615"},
      {"/shards/00000001-000000000000/", "/shards/../x/"},
      {"\"bytes\":88", "\"bytes\":8"},
      {"\"crc32c\":\"00000000\"", "\"crc32c\":\"0000000\""},
  };
  for (const auto& [from, to] : edits) {
    const auto decoded = decode_manifest(edited(manifest, from, to));
    ASSERT_FALSE(decoded.ok()) << from << " as " << to;
    EXPECT_EQ(decoded.error().code, Errc::corrupt) << to;
  }
}

TEST(Manifest, ChunksCoverATensorExactlyOnce) {
  Manifest manifest = make_manifest({{"w", Dtype::f32, {4, 4}}}, 1, kGrain);
  auto& chunks = manifest.tensors[0].chunks;
  const auto with = [&](std::vector<Box> boxes) {
    chunks.clear();
    for (Box& box : boxes) chunks.push_back({std::move(box), 0, 64});
    return check_manifest(manifest);
  };
  EXPECT_TRUE(with({{{0, 0}, {4, 2}}, {{0, 2}, {4, 2}}}).ok());  // by columns
  EXPECT_TRUE(with({{{0, 0}, {2, 2}}, {{2, 0}, {2, 4}}, {{0, 2}, {2, 2}}}).ok());
  EXPECT_FALSE(with({}).ok());
  EXPECT_FALSE(with({{{0, 0}, {4, 2}}}).ok());
  EXPECT_FALSE(with({{{0, 0}, {4, 2}}, {{0, 1}, {4, 2}}}).ok());  // the size alone would fit
  EXPECT_FALSE(with({{{0, 0}, {4, 4}}, {{0, 0}, {4, 4}}}).ok());
  EXPECT_FALSE(with({{{0, 0}, {4, 4}}, {{1, 1}, {0, 2}}}).ok());
  EXPECT_FALSE(with({{{0}, {16}}}).ok());
}

TEST(Records, OpeningsAndMarksComeBackAndNothingElseDoes) {
  for (const Opening& opening : {Opening{"job", 3, CheckpointName{2, 77}}, Opening{"j.b", 1, {}}}) {
    const std::string text = encode_opening(opening);
    EXPECT_EQ(*decode_opening(text), opening);
    for (std::size_t i = 0; i < text.size(); ++i) {
      EXPECT_FALSE(decode_opening(text.substr(0, i)).ok());
    }
  }
  EXPECT_EQ(*decode_mark(encode_mark(1'700'000'000)), 1'700'000'000);
  EXPECT_FALSE(decode_mark(encode_opening({"job", 1, {}})).ok());
  // A term cannot resume from its own or a later one: the line would not end.
  const std::string self = seal(
      "\"format\":\"ringmaster-term\",\"version\":1,\"job\":\"j\",\"term\":2,\"resumes\":{\"term\":"
      "2"
      ",\"step\":1},");
  EXPECT_FALSE(decode_opening(self).ok());
}

TEST(Names, AreReadAsTheyAreWritten) {
  EXPECT_EQ(manifest_key("a.b", {3, 1200}), "a.b/manifests/00000003-000000001200");
  EXPECT_EQ(parse_checkpoint_name("00000003-000000001200"), (CheckpointName{3, 1200}));
  EXPECT_EQ(parse_term_file("00000003-from")->term, 3);
  EXPECT_TRUE(parse_term_file("00000003-from")->opening);
  EXPECT_FALSE(parse_term_file("00000003")->opening);
  for (const char* bad : {"", "3", "00000000", "0000000x", "00000003-form", "00000003-from-from"}) {
    EXPECT_FALSE(parse_term_file(bad)) << bad;
  }
  for (const char* bad :
       {"", "00000000-000000000001", "00000003-00000000120", "00000003_000000001200",
        "00000003-00000000120 ", "00000003-000000001200x"}) {
    EXPECT_FALSE(parse_checkpoint_name(bad)) << bad;
  }
  for (const char* bad : {"", ".x", "a/b", "a b", "ä"}) EXPECT_FALSE(is_job_name(bad)) << bad;
}

}  // namespace
}  // namespace ringmaster::storage

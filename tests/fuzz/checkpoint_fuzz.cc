// SPDX-License-Identifier: Apache-2.0
//
// What is read from a store: manifests, openings, marks and headers of shards. Sealed documents are
// sealed anew after each mutation, else the checksum would be the only thing that is tried.
#include <fmt/format.h>

#include "base/check.h"
#include "storage/layout/random_layout.h"
#include "storage/layout/reads.h"
#include "storage/layout/records.h"
#include "storage/layout/safetensors.h"
#include "storage/layout/seal.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using namespace storage;

/// The document inside out: what seal() puts around.
std::string members_of(const std::string& sealed) {
  return sealed.substr(1, sealed.rfind("\"crc32c\"") - 2);
}

void check_reads(const Manifest& manifest) {
  // A shape of few bytes in the text may have 2^50 elements; planning cuts it in few pieces.
  constexpr std::int64_t kRanks = 3;
  for (std::int64_t p = 0; p < kRanks; ++p) {
    const auto wanted = share_of_load(manifest, p, kRanks);
    const auto reads = plan_reads(manifest, wanted);
    if (!reads) {
      CHECK(reads.error().code == Errc::exhausted);
      continue;
    }
    for (const Read& read : *reads) {
      CHECK_LT(read.shard, manifest.shards.size());
      CHECK_LE(read.bytes, manifest.shards[read.shard].bytes);
      CHECK_LE(read.begin, manifest.shards[read.shard].bytes - read.bytes);
      const Wanted& into = wanted[read.wanted];
      const auto room = bytes_of(manifest.tensors[into.tensor].tensor.dtype, into.box.shape);
      CHECK_LE(read.into + read.bytes, *room);
    }
  }
}

void run_manifest(std::string_view input) {
  CHECK(!decode_manifest(input).ok());
  const std::string text = seal(std::string(input) + ",");
  const auto manifest = decode_manifest(text);
  if (!manifest) {
    CHECK(manifest.error().code == Errc::corrupt);
    return;
  }
  const auto again = encode_manifest(*manifest);
  CHECK(again.ok());
  CHECK_EQ(*again, text);
  check_reads(*manifest);
}

void run_records(std::string_view input) {
  const std::string text = seal(std::string(input) + ",");
  if (const auto opening = decode_opening(text)) {
    CHECK_EQ(encode_opening(*opening), text);
    CHECK(!opening->resumes || opening->resumes->term < opening->term);
  }
  if (const auto seconds = decode_mark(text)) CHECK_EQ(encode_mark(*seconds), text);
  if (const auto name = parse_checkpoint_name(input)) {
    CHECK_EQ(manifest_key("j", *name), "j/manifests/" + std::string(input));
  }
  if (const auto file = parse_term_file(input)) {
    const std::string key =
        file->opening ? opening_key("j", file->term) : claim_key("j", file->term);
    CHECK_EQ(key, "j/terms/" + std::string(input));
  }
}

void run_safetensors(std::string_view input) {
  // The end of the input says how long the file is; the rest is its header.
  const std::uint64_t file_bytes = input.size() + (input.empty() ? 0 : input.back() & 0x3f);
  const auto bytes = safetensors_header_bytes(input, file_bytes);
  if (!bytes) return;
  CHECK_LE(kLengthBytes + *bytes, file_bytes);
  const auto header = decode_safetensors(input.substr(kLengthBytes, *bytes), file_bytes);
  if (!header) {
    CHECK(header.error().code == Errc::corrupt);
    return;
  }
  std::uint64_t place = 0;
  for (const SafetensorsEntry& entry : header->entries) {
    CHECK_EQ(entry.begin, place);
    const auto own = bytes_of(entry.dtype, entry.shape);
    CHECK(own == entry.end - entry.begin);
    place = entry.end;
  }
  CHECK_EQ(header->data_begin + place, file_bytes);
  auto entries = header->entries;
  encode_safetensors(entries, header->metadata);
  CHECK(entries == header->entries);
}

std::string safetensors_of(std::vector<SafetensorsEntry> entries) {
  std::string file = encode_safetensors(entries, {{"step", "7"}});
  const std::uint64_t data = entries.empty() ? 0 : entries.back().end;
  CHECK_LT(data, std::uint64_t{0x3f});
  return file + static_cast<char>(data - 1);
}

}  // namespace

Target manifest_target() {
  std::vector<std::string> corpus;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    const auto tensors = random_tensors(random);
    const auto text =
        encode_manifest(make_manifest(tensors, 1 + static_cast<std::int64_t>(random.below(3)), 64));
    CHECK(text.ok());
    corpus.push_back(members_of(*text));
  }
  return {"manifest", corpus, &run_manifest, 4000};
}

Target records_target() {
  return {"records",
          {members_of(encode_opening({"job", 3, CheckpointName{2, 800}})),
           members_of(encode_opening({"job", 1, {}})), members_of(encode_mark(1'700'000'000)),
           "00000003-000000001200", "00000003-from", "00000003"},
          &run_records,
          20000};
}

Target safetensors_target() {
  return {"safetensors",
          {safetensors_of({{"w", Dtype::f32, {2, 3}}, {"b", Dtype::bf16, {2}}}),
           safetensors_of({{"scalar", Dtype::i64, {}}, {"empty@0", Dtype::u8, {0, 5}}}),
           safetensors_of({{"x", Dtype::u8, {9}}})},
          &run_safetensors,
          10000};
}

}  // namespace ringmaster::fuzz

// SPDX-License-Identifier: Apache-2.0
//
// What ranks tell each other of their named tensors, and what all conclude from it: whatever was
// read is written again as the same, and any two announcements come to a verdict.
#include "base/check.h"
#include "collectives/tensors/roll_call.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using namespace collectives;

std::string text_of(const Announcement& announcement) {
  std::string text;
  for (const std::byte b : encode(announcement)) text.push_back(static_cast<char>(b));
  return text;
}

Result<Announcement> read(std::string_view text) {
  return decode({reinterpret_cast<const std::byte*>(text.data()), text.size()});
}

/// The input is two ranks' announcements; its first byte says where the second one begins.
void run(std::string_view input) {
  if (input.empty()) return;
  const auto cut = std::min<std::size_t>(static_cast<unsigned char>(input[0]), input.size() - 1);
  const auto first = read(input.substr(1, cut)), second = read(input.substr(1 + cut));
  for (const auto* one : {&first, &second}) {
    if (!*one) {
      CHECK(one->error().code == Errc::corrupt);
      continue;
    }
    const auto again = read(text_of(**one));
    CHECK(again.ok());
    CHECK(text_of(*again) == text_of(**one));
    CHECK_EQ(again->tensors.size(), (*one)->tensors.size());
  }
  if (!first || !second) return;
  const Verdict verdict = judge({*first, *second}, {3, 5}, std::chrono::seconds(10));
  if (verdict.error) {
    CHECK(verdict.error->code == Errc::mismatch || verdict.error->code == Errc::timed_out);
    CHECK(!verdict.error->message.empty());
  }
}

std::string pair_of(const Announcement& first, const Announcement& second) {
  const std::string text = text_of(first);
  return std::string(1, static_cast<char>(text.size())) + text + text_of(second);
}

}  // namespace

Target announcements_target() {
  const auto tensor = [](const char* name, std::uint64_t count) {
    return Announced{
        {name, RINGMASTER_FLOAT32, RINGMASTER_SUM, count}, 0x1000, std::chrono::seconds(2)};
  };
  Announcement some{.bucket_bytes = 1 << 20, .timeout = std::chrono::seconds(60)};
  some.tensors = {tensor("weights", 1000), tensor("bias", 10)};
  Announcement closing = some;
  closing.closing = true;
  closing.tensors.pop_back();
  Announcement other = some;
  other.tensors[0].tensor.count = 999;
  return {"announcements",
          {pair_of(some, some), pair_of(some, closing), pair_of(closing, closing),
           pair_of(some, other), pair_of({}, {})},
          &run,
          20000};
}

}  // namespace ringmaster::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ringmaster::fuzz {

namespace {

constexpr std::uint64_t kEditsMax = 6;

/// Numbers that stand at the edge of a type, of a double's exactness or of its range.
constexpr std::array<std::string_view, 16> kNumbers = {"0",
                                                       "-1",
                                                       "1",
                                                       "255",
                                                       "65536",
                                                       "2147483647",
                                                       "2147483648",
                                                       "-2147483649",
                                                       "4294967296",
                                                       "9007199254740993",
                                                       "9223372036854775807",
                                                       "-9223372036854775808",
                                                       "18446744073709551615",
                                                       "99999999999999999999",
                                                       "1e308",
                                                       "-0.0"};

std::size_t place_in(const std::string& bytes, Random& random) {
  return static_cast<std::size_t>(random.below(bytes.size() + 1));
}

char random_byte(Random& random) {
  constexpr std::string_view kEdges{"\x00\x01\x7f\x80\xff\n\r \"", 9};
  if (random.chance(0.5)) return kEdges[static_cast<std::size_t>(random.below(kEdges.size()))];
  return static_cast<char>(random.below(256));
}

/// A stretch of `bytes`, mostly short.
std::string_view stretch(std::string_view bytes, Random& random) {
  if (bytes.empty()) return bytes;
  const auto from = static_cast<std::size_t>(random.below(bytes.size()));
  const std::size_t most = random.chance(0.8) ? 16 : bytes.size();
  return bytes.substr(from, static_cast<std::size_t>(random.below(most)) + 1);
}

/// Puts another number in the place of one written in digits, or of four bytes.
void replace_number(std::string& bytes, Random& random) {
  const std::size_t digit = bytes.find_first_of("0123456789", place_in(bytes, random));
  if (digit == std::string::npos || random.chance(0.3)) {
    const auto value = static_cast<std::uint32_t>(random.below(3)) - 1;  // 2^32 - 1, 0 or 1
    const std::size_t at = place_in(bytes, random);
    const std::size_t size = std::min(sizeof value, bytes.size() - at);
    bytes.replace(at, size, reinterpret_cast<const char*>(&value), size);
    return;
  }
  const std::size_t end = std::min(bytes.find_first_not_of("0123456789", digit), bytes.size());
  bytes.replace(digit, end - digit, kNumbers[static_cast<std::size_t>(random.below(16))]);
}

void edit(std::string& bytes, const std::string& other, Random& random) {
  const std::size_t at = place_in(bytes, random);
  switch (random.below(7)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      return;
    case 1:
      if (at < bytes.size()) bytes[at] = random_byte(random);
      return;
    case 2:
      bytes.insert(at, 1, random_byte(random));
      return;
    case 3:
      bytes.erase(at, stretch(bytes, random).size());
      return;
    case 4:
      bytes.insert(at, std::string(stretch(bytes, random)));
      return;
    case 5:
      bytes.insert(at, std::string(stretch(other, random)));
      return;
    case 6:
      replace_number(bytes, random);
      return;
  }
}

}  // namespace

std::string mutate(const std::vector<std::string>& corpus, Random& random) {
  const auto pick = [&]() -> std::string {
    if (corpus.empty()) return "";
    return corpus[static_cast<std::size_t>(random.below(corpus.size()))];
  };
  std::string bytes = pick();
  const std::string other = pick();
  const std::uint64_t edits = random.below(kEditsMax) + 1;
  for (std::uint64_t i = 0; i < edits; ++i) edit(bytes, other, random);
  if (bytes.size() > kInputMax) bytes.resize(kInputMax);
  return bytes;
}

}  // namespace ringmaster::fuzz

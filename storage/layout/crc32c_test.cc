// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/crc32c.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::storage {
namespace {

TEST(Crc32c, KnownVectors) {
  std::string up(32, '\0');
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<char>(i);
  const std::string down(up.rbegin(), up.rend());
  // RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(crc32c(up), 0x46dd794eU);
  EXPECT_EQ(crc32c(down), 0x113fdb5cU);
}

TEST(Crc32c, BothWaysAgreeOnAnyBytesAtAnyPlaceInAnyPortions) {
  constexpr std::uint64_t kSeed = 20;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random.below(300), '\0');
    for (char& c : bytes) c = static_cast<char>(random.next());
    const std::string_view all = std::string_view(bytes).substr(random.below(bytes.size() + 1));
    const auto start = static_cast<std::uint32_t>(random.next());
    const std::uint32_t by_tables = crc32c_by_tables(all, start);
    if (has_crc32c_instruction()) {
      ASSERT_EQ(crc32c_by_instruction(all, start), by_tables);
    }
    const std::size_t cut = random.below(all.size() + 1);
    ASSERT_EQ(crc32c(all.substr(cut), crc32c(all.substr(0, cut), start)), by_tables);
  }
}

}  // namespace
}  // namespace ringmaster::storage

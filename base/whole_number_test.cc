// SPDX-License-Identifier: Apache-2.0
#include "base/whole_number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ringmaster {
namespace {

TEST(WholeNumber, IsAllOfTheText) {
  int number = 0;
  EXPECT_TRUE(read_whole("-12", &number));
  EXPECT_EQ(number, -12);
  for (const char* text : {"", " 1", "1 ", "12x", "0x10", "+1", "1.5", "99999999999"}) {
    EXPECT_FALSE(read_whole(text, &number)) << text;
  }
  EXPECT_FALSE(read_whole(std::string("1\0", 2), &number));
}

TEST(WholeNumber, ReadsDecimalsAndHoldsTheBoundsOfItsType) {
  double decimal = 0;
  EXPECT_TRUE(read_whole("2.5", &decimal));
  EXPECT_EQ(decimal, 2.5);
  std::uint16_t port = 0;
  EXPECT_TRUE(read_whole("65535", &port));
  EXPECT_FALSE(read_whole("65536", &port));
  EXPECT_FALSE(read_whole("-1", &port));
}

}  // namespace
}  // namespace ringmaster

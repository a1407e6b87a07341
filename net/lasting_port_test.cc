// SPDX-License-Identifier: Apache-2.0
#include "net/lasting_port.h"

#include <gtest/gtest.h>

namespace ringmaster::net {
namespace {

TEST(LastingPort, LiesBelowWhatTheKernelHandsOut) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto ports = lasting_ports("32768\t60999", Random(seed));
    ASSERT_FALSE(ports.empty());
    for (const int port : ports) {
      EXPECT_LE(10'000, port);
      EXPECT_LT(port, 32'768);
    }
  }
}

TEST(LastingPort, NoneWhereThereIsNoRoom) {
  for (const char* range : {"1024\t65535", "", "no number", "10500 60000", "99999999999 1"}) {
    EXPECT_TRUE(lasting_ports(range, Random(1)).empty()) << range;
  }
}

}  // namespace
}  // namespace ringmaster::net

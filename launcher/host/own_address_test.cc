// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/own_address.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher {
namespace {

TEST(OwnAddress, IsTheOneOnTheWay) {
  const auto own = address_towards("tcp://127.0.0.1:7070");
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(*own, "127.0.0.1");
}

TEST(OwnAddress, AnEndpointThatIsNoneIsSaid) {
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:7070", "tcp://:x", "tcp://127.0.0.1:port"}) {
    const auto own = address_towards(text);
    ASSERT_FALSE(own) << text;
    EXPECT_NE(own.error().message.find("address towards"), std::string::npos);
  }
}

}  // namespace
}  // namespace ringmaster::launcher

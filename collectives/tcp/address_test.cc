// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/address.h"

#include <gtest/gtest.h>

namespace ringmaster::collectives {
namespace {

TEST(Address, ReadsWhatItWrites) {
  for (const std::string text :
       {"127.0.0.1:4711", "0.0.0.0:0", "[::1]:80", "[fe80::1:2]:65535", "10.0.0.7:1"}) {
    auto address = parse_endpoint(text);
    ASSERT_TRUE(address.ok()) << text;
    EXPECT_EQ(endpoint_text(*address), text);
  }
}

TEST(Address, RefusesTheRest) {
  for (const std::string text : {"", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                                 "127.0.0.1:-1", "127.0.0.1: 1", "127.0.0.1:1x", "localhost:80",
                                 "::1:80", "[::1]", "[]:80", "[127.0.0.1]:80", "1.2.3:4"}) {
    auto address = parse_endpoint(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code, Errc::invalid);
  }
}

TEST(Address, ListensWhereItSays) {
  auto fd = listen_on("127.0.0.1:0");
  ASSERT_TRUE(fd.ok());
  auto text = endpoint_of(fd->get());
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(text->starts_with("127.0.0.1:"));
  EXPECT_FALSE(text->ends_with(":0"));
  EXPECT_FALSE(listen_on(*text).ok());  // taken
  EXPECT_FALSE(endpoint_of(-1).ok());
}

}  // namespace
}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "launcher/this_host.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher {
namespace {

const OwnNames kShort = {.host = "node7", .addresses = {"10.0.0.7", "fe80::7"}};
const OwnNames kLong = {.host = "Node7.cluster.example"};

TEST(ThisHost, HasNamesAndAddresses) {
  for (const char* name : {"localhost", "LocalHost", "127.0.0.1", "127.0.1.1", "::1", "0:0::1",
                           "node7", "NODE7", "node7.cluster.example", "10.0.0.7", "fe80::7"}) {
    EXPECT_TRUE(is_this_host(name, kShort)) << name;
  }
  for (const char* name : {"node7", "node7.cluster.example"}) {
    EXPECT_TRUE(is_this_host(name, kLong)) << name;
  }
}

TEST(ThisHost, OthersAreOthers) {
  for (const char* name : {"node", "node77", "10.0.0.70", "fe80::77", "localhost7", "", "node7x"}) {
    EXPECT_FALSE(is_this_host(name, kShort)) << name;
  }
  EXPECT_FALSE(is_this_host("node7.other.example", kLong)) << "another domain";
  EXPECT_FALSE(is_this_host("", {})) << "a host without a name of its own";
}

TEST(ThisHost, KnowsItself) {
  const OwnNames own = read_own_names();
  EXPECT_FALSE(own.host.empty());
  EXPECT_TRUE(is_this_host(own.host, own));
  for (const std::string& address : own.addresses) EXPECT_TRUE(is_this_host(address, own));
}

}  // namespace
}  // namespace ringmaster::launcher

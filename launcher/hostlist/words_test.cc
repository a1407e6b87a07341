// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/words.h"

#include <gtest/gtest.h>

#include "launcher/hostlist/check_list.h"

namespace ringmaster::launcher::hostlist {
namespace {

TEST(HostListWords, NumbersAreWholeAndInRange) {
  EXPECT_EQ(*parse_number("007", "n", 0, 9), 7);
  EXPECT_EQ(*parse_number("0", "n", 0, 9), 0);
  for (const char* bad : {"", " 1", "1 ", "+1", "-1", "1.0", "1e0", "0x1", "10",
                          "18446744073709551617", "00000000000000000000000001"}) {
    EXPECT_FALSE(parse_number(bad, "n", 0, 9).ok()) << bad;
  }
}

TEST(HostListWords, HostsAreNamesOrAddresses) {
  for (const char* good : {"n1", "1node", "my_host", "GPU-A", "a.b.c", "10.0.0.1"}) {
    EXPECT_EQ(*parse_host(good), good);
  }
  EXPECT_EQ(*parse_host("[fe80::1]"), "fe80::1");
  EXPECT_EQ(*parse_host("fe80::1%eth0"), "fe80::1%eth0");
  for (const char* bad :
       {"", "-n1", ".n1", "a..b", "n 1", "n1/2", "n1:2", "10.0.0", "10.0.0.256", "7", "[n1]", "[]",
        "fe80::1%", "fe80::1%a/b", "n\xc3\xa9", "$(x)", "a;b"}) {
    EXPECT_FALSE(parse_host(bad).ok()) << bad;
  }
  EXPECT_TRUE(parse_host(std::string(253, 'a')).ok());
  EXPECT_FALSE(parse_host(std::string(254, 'a')).ok());
}

TEST(HostListWords, EveryByteIsOneOfANameOrRefused) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = std::string("a") + static_cast<char>(byte) + "b";
    if (const auto host = parse_host(name)) check_host_name(*host);
    if (const auto account = parse_account(name)) check_host_name(account->host);
  }
}

TEST(HostListWords, AnAddressWithANulIsNone) {
  EXPECT_FALSE(parse_host(std::string_view("[fe80::1\0]", 10)).ok());
  EXPECT_FALSE(parse_host(std::string_view("fe80::1\0", 8)).ok());
}

TEST(HostListWords, AnAddressIsNeverCut) {
  const auto bare = parse_suffixed("fe80::1:4");
  EXPECT_FALSE(bare->has_suffix);
  EXPECT_EQ(bare->account.host, "fe80::1:4");
  const auto with = parse_suffixed("kim@[fe80::1]:4");
  EXPECT_EQ(with->account.user, "kim");
  EXPECT_EQ(with->account.host, "fe80::1");
  EXPECT_EQ(with->suffix, "4");
  const auto empty = parse_suffixed("n1:");
  EXPECT_TRUE(empty->has_suffix);
  EXPECT_EQ(empty->suffix, "");
  for (const char* bad : {"[fe80::1", "a:b:c", "[fe80::1]x", "a@b@c", "@n1", "a@"}) {
    EXPECT_FALSE(parse_suffixed(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace ringmaster::launcher::hostlist

// SPDX-License-Identifier: Apache-2.0
#include "launcher/rendezvous/store.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher::rendezvous {
namespace {

TEST(RendezvousStore, ValuesAreThereOncePut) {
  Store store(2);
  EXPECT_EQ(store.get("global", "0"), std::nullopt);
  EXPECT_TRUE(store.put("global", "0", std::string("a\0b", 3)).ok());
  EXPECT_EQ(store.get("global", "0"), std::string("a\0b", 3));
  EXPECT_EQ(store.get("global", "1"), std::nullopt);
  EXPECT_EQ(store.get("local_n1", "0"), std::nullopt);
}

TEST(RendezvousStore, AScopeIsForgottenWhenAllItsMembersHaveFinished) {
  Store store(3, {{"cross_1", 2}});
  for (const char* key : {"0", "1", "2"}) EXPECT_TRUE(store.put("global", key, "x").ok());
  for (const char* key : {"0", "1"}) EXPECT_TRUE(store.put("cross_1", key, "y").ok());
  store.finish("global", "0");
  store.finish("global", "0");
  store.finish("global", "1");
  store.finish("global", "no member");
  EXPECT_NE(store.get("global", "0"), std::nullopt) << "one may still ask";
  store.finish("global", "2");
  EXPECT_EQ(store.get("global", "0"), std::nullopt);
  EXPECT_NE(store.get("cross_1", "0"), std::nullopt);
  store.finish("cross_1", "0");
  store.finish("cross_1", "1");
  EXPECT_EQ(store.get("cross_1", "0"), std::nullopt);
}

TEST(RendezvousStore, IsBounded) {
  Store store(1);
  EXPECT_FALSE(store.put("s", "k", std::string(kValueBytesMax + 1, 'x')).ok());
  int stored = 0;
  while (store.put("s", std::to_string(stored), std::string(kValueBytesMax, 'x')).ok()) ++stored;
  EXPECT_EQ(stored, 63);
  EXPECT_TRUE(store.put("s", "0", "small").ok());
  EXPECT_TRUE(store.put("s", "more", std::string(kValueBytesMax / 2, 'x')).ok());
}

TEST(RendezvousStore, PlacesHaveAScopeAndAKey) {
  const auto place = parse_place("/global/a/b");
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->scope, "global");
  EXPECT_EQ(place->key, "a/b");
  for (const char* text : {"", "/", "/global", "/global/", "//key", "global/key", "/a b/c"}) {
    EXPECT_FALSE(parse_place(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_place("/s/" + std::string(2000, 'k')).has_value());
}

}  // namespace
}  // namespace ringmaster::launcher::rendezvous

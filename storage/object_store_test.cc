// SPDX-License-Identifier: Apache-2.0
//
// What every store must do, run against each of them.
#include "storage/object_store.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "storage/memory/memory_store.h"

namespace ringmaster::storage {
namespace {

/// A kind of store, and more clients of the same one.
struct Kind {
  const char* name;
  std::unique_ptr<ObjectStore> (*open)(const TemporaryFolder& folder,
                                       const std::shared_ptr<MemoryStore::Objects>& objects);
};

const Kind kMemory = {"memory", [](const TemporaryFolder&, const auto& objects) {
                        return std::unique_ptr<ObjectStore>(new MemoryStore(objects));
                      }};
const Kind kFile = {"file", [](const TemporaryFolder& folder, const auto&) {
                      return std::move(*open_store("file://" + folder.path()));
                    }};

class Store : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<ObjectStore> open() { return GetParam().open(folder_, objects_); }

  TemporaryFolder folder_;
  std::shared_ptr<MemoryStore::Objects> objects_ = std::make_shared<MemoryStore::Objects>();
  std::unique_ptr<ObjectStore> store_ = open();
};

TEST_P(Store, GivesBackWhatWasPut) {
  ASSERT_TRUE(store_->put("a/b", {"one", "", "two"}).ok());
  EXPECT_EQ(*store_->get("a/b", 6), "onetwo");
  ASSERT_TRUE(store_->put("a/b", {"three"}).ok());
  EXPECT_EQ(*open()->get("a/b", 100), "three");
  ASSERT_TRUE(store_->put("empty", {}).ok());
  EXPECT_EQ(*store_->get("empty", 0), "");
  EXPECT_EQ(store_->get("a/b", 4).error().code, Errc::corrupt);
  const std::string binary("\0\xff\n", 3);
  ASSERT_TRUE(store_->put("binary", {binary}).ok());
  EXPECT_EQ(*store_->get("binary", 3), binary);
}

TEST_P(Store, ReadsRanges) {
  ASSERT_TRUE(store_->put("k", {"0123456789"}).ok());
  EXPECT_EQ(*store_->read("k", 0, 3), "012");
  EXPECT_EQ(*store_->read("k", 7, 100), "789");
  EXPECT_EQ(*store_->read("k", 10, 1), "");
  EXPECT_EQ(*store_->read("k", 11, 1), "");
  EXPECT_EQ(*store_->read("k", 2, 0), "");
  EXPECT_EQ(*store_->read("k", UINT64_MAX, UINT64_MAX), "");
  EXPECT_EQ(*store_->read("k", 1, UINT64_MAX), "123456789");
}

TEST_P(Store, CreatesOnlyWhatIsNotThere) {
  ASSERT_TRUE(store_->create("x/y", {"first"}).ok());
  EXPECT_EQ(store_->create("x/y", {"second"}).error().code, Errc::exists);
  EXPECT_EQ(open()->create("x/y", {"first"}).error().code, Errc::exists);
  EXPECT_EQ(*store_->get("x/y", 9), "first");
  ASSERT_TRUE(store_->remove("x/y").ok());
  EXPECT_TRUE(store_->create("x/y", {"third"}).ok());
}

TEST_P(Store, SaysWhatIsNotThere) {
  EXPECT_EQ(store_->get("no/such", 9).error().code, Errc::not_found);
  EXPECT_NE(store_->get("no/such", 9).error().message.find("no/such"), std::string::npos);
  ASSERT_TRUE(store_->put("a", {"1"}).ok());
  EXPECT_EQ(store_->get("a/b", 9).error().code, Errc::not_found);
  EXPECT_TRUE(store_->remove("no/such").ok());
  EXPECT_TRUE(store_->remove("a/b").ok());
}

TEST_P(Store, ListsByPrefixInOrder) {
  for (const char* key : {"b/2", "b/10", "b/1/x", "bb", "a", "b-", "c/1"}) {
    ASSERT_TRUE(store_->put(key, {key}).ok());
  }
  const auto keys = [&](const std::string& prefix) {
    const auto listed = store_->list(prefix);
    std::string text;
    for (const ObjectInfo& object : *listed) {
      EXPECT_EQ(object.bytes, object.key.size());
      text += object.key + " ";
    }
    return text;
  };
  EXPECT_EQ(keys(""), "a b- b/1/x b/10 b/2 bb c/1 ");
  EXPECT_EQ(keys("b"), "b- b/1/x b/10 b/2 bb ");
  EXPECT_EQ(keys("b/"), "b/1/x b/10 b/2 ");
  EXPECT_EQ(keys("b/1"), "b/1/x b/10 ");
  EXPECT_EQ(keys("d"), "");
  EXPECT_EQ(keys("b/2/"), "");
  ASSERT_TRUE(store_->remove("b/1/x").ok());
  EXPECT_EQ(keys("b/1"), "b/10 ");
}

TEST_P(Store, RefusesKeysThatAreNone) {
  for (const char* bad : {"", "/", "/a", "a/", "a//b", "../a", "a/..", ".a", "a/.b", "a b", "a\n",
                          "a%20b", "\xc3\xa4"}) {
    EXPECT_EQ(store_->put(bad, {"x"}).error().code, Errc::invalid) << bad;
    EXPECT_EQ(store_->create(bad, {"x"}).error().code, Errc::invalid) << bad;
  }
  EXPECT_FALSE(store_->put(std::string(kKeyPartBytesMax + 1, 'a'), {"x"}).ok());
  EXPECT_TRUE(store_->put(std::string(kKeyPartBytesMax, 'a'), {"x"}).ok());
  EXPECT_EQ(store_->list("")->size(), 1U);
}

TEST_P(Store, PassesTheProbe) {
  EXPECT_TRUE(probe_store(*store_, "1").ok());
  EXPECT_TRUE(store_->list("")->empty());
}

TEST_P(Store, BehavesAsAMapUnderRandomCalls) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::map<std::string, std::string> model;
    const auto left = store_->list("");
    for (const ObjectInfo& object : *left) ASSERT_TRUE(store_->remove(object.key).ok());
    for (int i = 0; i < 100; ++i) {
      std::string key = "k";
      for (std::uint64_t d = random.below(3); d > 0; --d) {
        key += "/" + std::string(1, static_cast<char>('a' + random.below(3)));
      }
      key += "/leaf";
      const std::string value(random.below(50), static_cast<char>(random.next()));
      const auto call = random.below(4);
      if (call == 0) {
        ASSERT_TRUE(store_->put(key, {value}).ok());
        model[key] = value;
      } else if (call == 1) {
        ASSERT_EQ(store_->create(key, {value}).ok(), model.emplace(key, value).second);
      } else if (call == 2) {
        ASSERT_TRUE(store_->remove(key).ok());
        model.erase(key);
      } else {
        ASSERT_EQ(store_->get(key, 50).ok(), model.contains(key));
      }
    }
    std::vector<ObjectInfo> expected;
    for (const auto& [key, value] : model) {
      expected.push_back({key, value.size()});
      EXPECT_EQ(*store_->get(key, 50), value);
    }
    EXPECT_EQ(*store_->list(""), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(, Store, testing::Values(kMemory, kFile),
                         [](const auto& kind) { return kind.param.name; });

/// Forgets the condition, as some stores do behind an S3 face.
class Forgetful : public MemoryStore {
 public:
  Result<void> create(const std::string& key, const Pieces& pieces) override {
    return put(key, pieces);
  }
};

TEST(ProbeStore, RefusesAStoreThatIgnoresTheCondition) {
  Forgetful store;
  const auto probed = probe_store(store, "1");
  ASSERT_FALSE(probed.ok());
  EXPECT_NE(probed.error().message.find("does not refuse"), std::string::npos);
}

TEST(OpenStore, SaysWhatAStoreIs) {
  for (const char* bad :
       {"", "/tmp", "file:/tmp", "file://", "file://host/x", "s3://b", "FILE:///x"}) {
    const auto store = open_store(bad);
    ASSERT_FALSE(store.ok()) << bad;
    EXPECT_NE(store.error().message.find("file:///"), std::string::npos);
  }
  EXPECT_EQ(open_store("file:///no/such/folder").error().code, Errc::not_found);
}

}  // namespace
}  // namespace ringmaster::storage

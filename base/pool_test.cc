// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <vector>

namespace ringmaster {
namespace {

TEST(Pool, WorkIsDoneInItsOrder) {
  std::vector<int> done;
  std::promise<void> all;
  Pool pool(100);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(pool.run([&done, i] { done.push_back(i); }));
  while (!pool.run([&all] { all.set_value(); })) std::this_thread::yield();
  all.get_future().wait();
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(Pool, TooMuchIsRefusedAndTheRestIsDroppedAtTheEnd) {
  std::promise<void> started, release;
  std::shared_future<void> released = release.get_future().share();
  bool dropped_ran = false;
  {
    Pool pool(2);
    EXPECT_TRUE(pool.run([&] {
      started.set_value();
      released.wait();
    }));
    started.get_future().wait();
    EXPECT_TRUE(pool.run([] {}));
    EXPECT_TRUE(pool.run([] {}));
    EXPECT_FALSE(pool.run([&] { dropped_ran = true; }));
    release.set_value();
  }
  EXPECT_FALSE(dropped_ran);
}

TEST(PoolDeathTest, WorkThatHangsDoesNotKeepTheProcess) {
  EXPECT_EXIT(
      {
        Pool pool(1, std::chrono::milliseconds(20));
        std::promise<void> started;
        pool.run([&] {
          started.set_value();
          ::pause();
        });
        started.get_future().wait();
      },
      testing::ExitedWithCode(1), "a call that hangs");
}

}  // namespace
}  // namespace ringmaster

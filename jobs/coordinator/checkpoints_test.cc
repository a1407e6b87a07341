// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/checkpoints.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <future>
#include <thread>

#include "storage/memory/memory_store.h"

namespace ringmaster::jobs {
namespace {

/// A store whose server is gone until `back` is set: the first call hangs.
class HangingStore : public storage::MemoryStore {
 public:
  static std::promise<void>& back() {
    static std::promise<void> promise;
    return promise;
  }
  Result<std::vector<storage::ObjectInfo>> list(const std::string& prefix) override {
    static const std::shared_future<void> is_back = back().get_future().share();
    is_back.wait();
    return MemoryStore::list(prefix);
  }
};

Result<std::unique_ptr<storage::ObjectStore>> open_hanging(const std::string&) {
  return std::unique_ptr<storage::ObjectStore>(std::make_unique<HangingStore>());
}

TEST(Checkpoints, AStoreThatHangsIsAnsweredForAndItsLateAnswerCounts) {
  boost::asio::io_context loop;
  std::vector<Event> events;
  Checkpoints checkpoints(
      loop, [&](const Event& event) { events.push_back(event); }, std::chrono::milliseconds(50),
      open_hanging);
  checkpoints.open_term(OpenTerm{JobId{1}, 5, "the job starts"}, {"memory", "saved", 3});
  loop.run();
  ASSERT_EQ(events.size(), 1u);
  const auto* failed = std::get_if<TermFailed>(&events[0]);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->request, 5);
  EXPECT_EQ(failed->why, "the store did not answer in 0.05 s");
  HangingStore::back().set_value();
  for (int look = 0; events.size() < 2 && look < 1000; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    loop.restart();
    loop.poll();
  }
  ASSERT_EQ(events.size(), 2u);
  const auto* opened = std::get_if<TermOpened>(&events[1]);
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(opened->term, Term{1});
}

}  // namespace
}  // namespace ringmaster::jobs

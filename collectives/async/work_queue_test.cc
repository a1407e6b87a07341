// SPDX-License-Identifier: Apache-2.0
#include "collectives/async/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>

#include "collectives/solo_communicator.h"

namespace ringmaster::collectives {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A task that waits until it is let go.
class Gate {
 public:
  WorkQueue::Task task() {
    return [this](Communicator&) -> Result<void> {
      while (!open_) std::this_thread::sleep_for(milliseconds(1));
      return {};
    };
  }
  void open() { open_ = true; }

 private:
  std::atomic<bool> open_{false};
};

class Queue : public testing::Test {
 protected:
  WorkQueue::Task noting(int number, Result<void> result = {}) {
    return [this, number, result](Communicator&) {
      order_.push_back(number);
      return result;
    };
  }
  WorkPointer start(WorkQueue::Task task) {
    auto started = queue_->start(std::move(task));
    CHECK(started.ok());
    return *started;
  }

  SoloCommunicator solo_;
  std::vector<int> order_;  // written by the queue's thread, read when the works are over
  std::optional<WorkQueue> queue_{std::in_place, solo_};
};

TEST_F(Queue, KeepsTheOrderOfStarts) {
  std::vector<WorkPointer> works;
  for (int i = 0; i < 200; ++i) works.push_back(start(noting(i)));
  for (const auto& work : works) ASSERT_TRUE(work->wait(seconds(60)));
  ASSERT_EQ(order_.size(), 200u);
  EXPECT_TRUE(std::is_sorted(order_.begin(), order_.end()));
  EXPECT_TRUE(queue_->idle());
}

TEST_F(Queue, AWaitThatTimesOutLeavesTheOperationOnItsWay) {
  Gate gate;
  const auto work = start(gate.task());
  EXPECT_FALSE(work->wait(milliseconds(5)));
  EXPECT_FALSE(work->done());
  EXPECT_FALSE(queue_->idle());
  gate.open();
  EXPECT_TRUE(work->wait(seconds(60)));
  EXPECT_TRUE(work->result().ok());
}

TEST_F(Queue, AnErrorEndsWhatIsBehindItAndTellsItSo) {
  Gate gate;
  start(gate.task());
  const auto failing = start(noting(1, Error{Errc::mismatch, "ranks differ"}));
  std::string dropped;
  auto behind = queue_->start(noting(2), [&](const Error& error) { dropped = error.message; });
  ASSERT_TRUE(behind.ok());
  gate.open();
  ASSERT_TRUE((*behind)->wait(seconds(60)));
  EXPECT_EQ((*behind)->result().error().code, Errc::mismatch);
  EXPECT_EQ((*behind)->result().error().message,
            "not begun, for an operation before it failed: ranks differ");
  EXPECT_EQ(dropped, (*behind)->result().error().message);
  EXPECT_EQ(failing->result().error().message, "ranks differ");
  // What is started later is tried again.
  const auto later = start(noting(3));
  ASSERT_TRUE(later->wait(seconds(60)));
  EXPECT_TRUE(later->result().ok());
  EXPECT_EQ(order_, (std::vector<int>{1, 3}));
}

TEST_F(Queue, IsBounded) {
  Gate gate;
  start(gate.task());
  Result<WorkPointer> last = Error{Errc::invalid, ""};
  std::size_t started = 0;
  for (last = queue_->start(noting(0)); last; last = queue_->start(noting(0))) ++started;
  EXPECT_LE(started, WorkQueue::kLongest);
  EXPECT_GE(started, WorkQueue::kLongest - 1);
  EXPECT_EQ(last.error().code, Errc::exhausted);
  gate.open();
  queue_.reset();  // before the gate goes
}

TEST_F(Queue, ItsEndEndsWhatIsQueuedAndWaitsForWhatRuns) {
  Gate gate;
  const auto running = start(gate.task());
  const auto queued = start(noting(1));
  std::thread opener([&] {
    std::this_thread::sleep_for(milliseconds(5));
    gate.open();
  });
  queue_.reset();
  opener.join();
  ASSERT_TRUE(running->done());
  ASSERT_TRUE(queued->done());
  // The queue may have come to it before it ended; if not, it says why.
  const bool ran = !order_.empty();
  EXPECT_TRUE(ran || queued->result().error().code == Errc::generation_changed);
}

}  // namespace
}  // namespace ringmaster::collectives

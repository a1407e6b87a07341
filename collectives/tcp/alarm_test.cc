// SPDX-License-Identifier: Apache-2.0
//
// Generations that end in the middle: aborted at any moment, or because a rank dies.
#include "collectives/tcp/alarm.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

constexpr int kRanks = 4;

/// One operation, drawn so that all ranks draw the same.
Result<void> operate(TcpCommunicator& ring, Random& random, std::vector<std::int32_t>& data) {
  const std::size_t count = random.chance(0.5) ? 1 + random.below(100) : 1 + random.below(200000);
  data.assign(count, 1);
  const auto root = static_cast<int>(random.below(static_cast<std::uint64_t>(ring.size())));
  switch (random.below(4)) {
    case 0:
      return ring.barrier();
    case 1:
      return ring.broadcast(data.data(), count, RINGMASTER_INT32, root);
    case 2: {
      std::vector<std::int32_t> all(count * static_cast<std::size_t>(ring.size()));
      auto end = ring.all_gather(data.data(), all.data(), count, RINGMASTER_INT32);
      if (end) {
        EXPECT_EQ(all, std::vector<std::int32_t>(all.size(), 1));
      }
      return end;
    }
    default: {
      auto end = ring.all_reduce(data.data(), data.data(), count, RINGMASTER_INT32, RINGMASTER_SUM);
      if (end) {
        EXPECT_EQ(data, std::vector<std::int32_t>(count, ring.size()));
      }
      return end;
    }
  }
}

TEST(Alarm, ReadsAnOldEventEmptyAndLeavesItsOwn) {
  TcpRanks ranks(1);
  const auto readable = [&] {
    pollfd event{ranks.abort_of(0).fd, POLLIN, 0};
    return ::poll(&event, 1, 0) == 1;
  };
  const Alarm alarm(ranks.abort_of(0), 2);
  std::vector<pollfd> fds;
  ranks.abort(1);
  EXPECT_FALSE(alarm.raised());
  alarm.sleep(fds, std::chrono::seconds(60));
  EXPECT_FALSE(readable());
  ranks.abort(2);
  EXPECT_TRUE(alarm.raised());
  fds.clear();
  alarm.sleep(fds, std::chrono::seconds(60));
  EXPECT_TRUE(readable());
}

class TcpAborts : public testing::TestWithParam<bool> {};

// Each rank goes from one generation to the next by itself, as soon as it hears of it: some knock
// at doors of a generation that the others have not entered.
TEST_P(TcpAborts, AtRandomMoments) {
  constexpr std::int64_t kGenerations = kSanitized ? 30 : 80;  // many times slower
  TcpRanks ranks(kRanks, GetParam());
  std::atomic<std::int64_t> operations{0};
  std::vector<std::thread> threads;
  for (int position = 0; position < kRanks; ++position) {
    threads.emplace_back([&, position] {
      std::vector<std::int32_t> data;
      for (std::int64_t generation = 1; generation <= kGenerations; ++generation) {
        auto ring = ranks.make(generation, position);
        Random random(static_cast<std::uint64_t>(generation));
        for (;;) {
          auto end = operate(*ring, random, data);
          ++operations;
          if (end) continue;
          ASSERT_EQ(end.error().code, Errc::generation_changed) << end.error().message;
          EXPECT_EQ(ring->barrier().error().code, Errc::generation_changed);
          break;
        }
      }
    });
  }
  Random random(99);
  for (std::int64_t generation = 1; generation <= kGenerations; ++generation) {
    // Sometimes at once, while they connect; sometimes after a few operations.
    const std::int64_t until =
        operations + static_cast<std::int64_t>(random.chance(0.3) ? 0 : random.below(30));
    while (operations < until) std::this_thread::yield();
    ranks.abort(generation);
  }
  for (auto& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Wake, TcpAborts, testing::Bool());

TEST(TcpLoss, ARankThatLeavesIsExplainedByTheAbort) {
  TcpRanks ranks(3);
  std::atomic<int> done{0};
  std::thread agent([&] {
    while (done < 3) std::this_thread::yield();
    ranks.abort(1);
  });
  ranks.run(1, [&](TcpCommunicator& ring) {
    ASSERT_TRUE(ring.barrier());
    ++done;
    if (ring.position() == 1) return;  // its connections close
    std::vector<float> data(300000, 1);
    auto end =
        ring.all_reduce(data.data(), data.data(), data.size(), RINGMASTER_FLOAT32, RINGMASTER_SUM);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::generation_changed) << end.error().message;
  });
  agent.join();
  ranks.run(2, [](TcpCommunicator& ring) { EXPECT_TRUE(ring.barrier().ok()); });
}

TEST(TcpLoss, WithoutAnAbortItIsNamed) {
  TcpRanks ranks(2);
  ranks.run(1, [&](TcpCommunicator& ring) {
    ring.set_grace(std::chrono::milliseconds(20));
    ASSERT_TRUE(ring.barrier());
    if (ring.position() == 1) return;
    auto end = ring.barrier();
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::closed);
    EXPECT_EQ(end.error().message, "barrier: the connection to rank 1 is closed");
    EXPECT_EQ(ring.barrier().error().code, Errc::closed);
  });
}

TEST(TcpLoss, AnEndpointWithNobodyIsNamed) {
  TcpRanks ranks(2);
  auto membership = ranks.membership(1, 0);
  auto unused = listen_on("127.0.0.1:0");
  membership.endpoints[1] = *endpoint_of(unused->get());
  membership.numbers = {5, 7};
  unused->reset();
  TcpCommunicator ring(ranks.listener(0), membership, ranks.abort_of(0));
  ring.set_grace(std::chrono::milliseconds(20));
  auto end = ring.barrier();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, Errc::closed);
  EXPECT_EQ(end.error().message,
            "barrier: connect to rank 7 (" + membership.endpoints[1] + "): Connection refused");
}

TEST(TcpLoss, SaysWhoIsLate) {
  TcpRanks ranks(4);
  std::atomic<int> given_up{0};
  ranks.run(1, [&](TcpCommunicator& ring) {
    ASSERT_TRUE(ring.barrier());
    if (ring.position() != 2) {
      ring.set_timeout(std::chrono::milliseconds(50));
      auto end = ring.barrier();
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::timed_out);
      EXPECT_EQ(end.error().message, "barrier: rank 2 has not called it for 0 s");
      ++given_up;
    }
    while (given_up < 3) std::this_thread::yield();  // nobody hangs up before
  });
}

/// A survivor's life: works until its generation ends, then in the next one without the last rank.
int live(TcpRanks& ranks, int position, int ready_fd) {
  std::vector<std::int32_t> data(400000, 1), sum(data.size());
  auto ring = ranks.make(1, position);
  for (int turn = 0;; ++turn) {
    auto end =
        ring->all_reduce(data.data(), sum.data(), data.size(), RINGMASTER_INT32, RINGMASTER_SUM);
    if (!end && end.error().code != Errc::generation_changed) return 1;
    if (!end) break;
    if (turn == 3 && ::write(ready_fd, "x", 1) != 1) return 2;
  }
  auto membership = ranks.membership(2, position);
  membership.endpoints.pop_back();
  ring = std::make_unique<TcpCommunicator>(ranks.listener(position), membership,
                                           ranks.abort_of(position));
  ring->set_timeout(std::chrono::seconds(60));
  auto end =
      ring->all_reduce(data.data(), sum.data(), data.size(), RINGMASTER_INT32, RINGMASTER_SUM);
  return end.ok() && sum.front() == 2 && sum.back() == 2 ? 0 : 3;
}

TEST(TcpLoss, AKilledProcessIsReplacedByTheNextGeneration) {
  TcpRanks ranks(3);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  FileDescriptor ready_in(ready[0]), ready_out(ready[1]);
  std::vector<pid_t> pids;
  for (int position = 0; position < 3; ++position) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) _exit(live(ranks, position, ready_out.get()));
    pids.push_back(pid);
  }
  for (int rank = 0; rank < 3; ++rank) {
    char c = 0;
    ASSERT_EQ(::read(ready_in.get(), &c, 1), 1);
  }
  ASSERT_EQ(kill(pids[2], SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(waitpid(pids[2], &status, 0), pids[2]);
  ranks.abort(1);
  for (int survivor = 0; survivor < 2; ++survivor) {
    const pid_t pid = pids[static_cast<std::size_t>(survivor)];
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

}  // namespace
}  // namespace ringmaster::collectives

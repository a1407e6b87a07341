// SPDX-License-Identifier: Apache-2.0
//
// Connections that outlive a generation: that they are used again, that nothing of the old one is
// taken for the new one's, and that who is not in it is cut off.
#include "collectives/tcp/kept_links.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/random.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

/// Runs a generation of the ranks in `table`, in this order; `secret` of each new connection.
void run_kept(TcpRanks& ranks, std::int64_t generation, const std::vector<int>& table,
              const std::function<std::string(int)>& secret,
              const std::function<void(TcpCommunicator&, int)>& body) {
  std::vector<std::thread> threads;
  for (std::size_t position = 0; position < table.size(); ++position) {
    threads.emplace_back([&, position] {
      const int rank = table[position];
      TcpMembership membership;
      membership.generation = generation;
      membership.position = static_cast<int>(position);
      membership.secret = secret(rank);
      for (const int one : table) membership.endpoints.push_back(ranks.endpoint(one));
      membership.numbers = table;
      TcpCommunicator ring(ranks.listener(rank), membership, ranks.abort_of(rank),
                           &ranks.kept(rank));
      ring.set_timeout(std::chrono::seconds(30));
      body(ring, rank);
    });
  }
  for (auto& thread : threads) thread.join();
}

std::string shared_secret(int) {
  return "of the job";
}

// With it no new connection can be made.
std::string own_secret(int rank) {
  return "of rank " + std::to_string(rank);
}

Result<void> sum_of(TcpCommunicator& ring, std::int64_t value, std::size_t count,
                    std::int64_t expected) {
  std::vector<std::int64_t> data(count, value);
  auto end = ring.all_reduce(data.data(), data.data(), count, RINGMASTER_INT64, RINGMASTER_SUM);
  if (end) {
    EXPECT_EQ(data, std::vector<std::int64_t>(count, expected));
  }
  return end;
}

TEST(KeptLinks, CarryTheNextGenerationInAnotherOrder) {
  TcpRanks ranks(4);
  run_kept(ranks, 1, {0, 1, 2, 3}, shared_secret, [](TcpCommunicator& ring, int rank) {
    for (const int peer : {0, 1, 2, 3}) {  // a connection for each pair
      if (peer == rank) continue;
      std::int64_t sent = rank, received = -1;
      ASSERT_TRUE(ring.exchange({{&sent, 1, RINGMASTER_INT64, peer}},
                                {{&received, 1, RINGMASTER_INT64, peer}}));
    }
    ASSERT_TRUE(ring.barrier());
  });
  std::int64_t generation = 1;
  for (const std::vector<int>& table : {std::vector<int>{3, 1, 0, 2}, {2, 0, 1}, {1, 0}, {0, 1}}) {
    run_kept(ranks, ++generation, table, own_secret, [&](TcpCommunicator& ring, int rank) {
      std::int64_t all = 0;
      for (const int one : table) all += one + 1;
      for (const std::size_t count : {1, 1000, 100000}) {
        const auto end = sum_of(ring, rank + 1, count, all);
        ASSERT_TRUE(end.ok()) << end.error().message;
      }
      // Whoever has ended first must not take it for a loss.
      ASSERT_TRUE(ring.barrier());
    });
    for (const int rank : table) {
      EXPECT_EQ(ranks.kept(rank).size(), table.size() - 1) << "generation " << generation;
    }
  }
}

TEST(KeptLinks, AConnectionThatOneEndHasClosedIsMadeAnew) {
  for (const int forgets : {0, 1}) {
    TcpRanks ranks(2);
    for (std::int64_t generation = 1; generation <= 3; ++generation) {
      run_kept(ranks, generation, {0, 1}, shared_secret, [](TcpCommunicator& ring, int rank) {
        const auto end = sum_of(ring, rank + 1, 5000, 3);
        ASSERT_TRUE(end.ok()) << end.error().message;
      });
      ranks.kept(forgets).keep_only({});
    }
  }
}

// All ranks are in the middle of large sums when generations end; the sums of the next one have
// other values, so that one byte of an older generation would show.
TEST(KeptLinks, NothingOfAnOlderGenerationIsTaken) {
  constexpr int kSize = 3;
  TcpRanks ranks(kSize);
  std::atomic<int> kept = 0;
  for (std::int64_t generation = 1; generation <= 60; ++generation) {
    std::atomic<int> inside = 0, left = 0;
    std::thread agent([&] {
      while (inside < kSize) std::this_thread::yield();
      Random random(static_cast<std::uint64_t>(generation));
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(1500)));
      ranks.abort(generation);
    });
    run_kept(ranks, generation, {0, 1, 2}, shared_secret, [&](TcpCommunicator& ring, int rank) {
      Random random(static_cast<std::uint64_t>(generation * kSize));
      ++inside;
      for (;;) {
        const std::size_t count = random.chance(0.5) ? 1 + random.below(100) : 1 << 16;
        const auto end = sum_of(ring, generation * (rank + 1), count, generation * 6);
        if (end) continue;
        ASSERT_EQ(end.error().code, Errc::generation_changed) << end.error().message;
        break;
      }
      // As a rank does that hears the next table only when all have left this one.
      ++left;
      while (left < kSize) std::this_thread::yield();
    });
    agent.join();
    for (int rank = 0; rank < kSize; ++rank) kept += static_cast<int>(ranks.kept(rank).size());
  }
  EXPECT_GT(kept, 0);
}

TEST(KeptLinks, OfWhoIsNotInTheGenerationAreClosedBeforeItBegins) {
  TcpRanks ranks(3);
  run_kept(ranks, 1, {0, 1, 2}, shared_secret,
           [](TcpCommunicator& ring, int) { ASSERT_TRUE(ring.barrier()); });
  ASSERT_EQ(ranks.kept(2).size(), 2U);
  auto link = ranks.kept(2).take(ranks.endpoint(0));
  ASSERT_NE(link, nullptr);
  run_kept(ranks, 2, {0, 1}, shared_secret, [&](TcpCommunicator& ring, int rank) {
    if (rank == 0) {
      std::vector<pollfd> fds = {{link->fd(), POLLIN, 0}};
      ASSERT_EQ(::poll(fds.data(), 1, 10000), 1);
      EXPECT_EQ(link->pull_header(), Io::gone);
    }
    ASSERT_TRUE(sum_of(ring, 1, 10, 2));
  });
  EXPECT_TRUE(link->broken());
}

// A rank may hear of the next generation before another has heard that this one is over.
TEST(KeptLinks, WhoIsAGenerationAheadIsWaitedForAndNotTakenForDamage) {
  TcpRanks ranks(2);
  run_kept(ranks, 1, {0, 1}, shared_secret,
           [](TcpCommunicator& ring, int) { ASSERT_TRUE(ring.barrier()); });
  std::atomic<bool> ahead = false, aborted = false;
  std::thread agent([&] {
    while (!ahead) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    aborted = true;
    ranks.abort(2);
  });
  const auto generation = [&](std::int64_t number, int rank) {
    return TcpMembership{number, rank, {ranks.endpoint(0), ranks.endpoint(1)}, "of the job"};
  };
  std::thread behind([&] {
    {
      TcpCommunicator ring(ranks.listener(0), generation(2, 0), ranks.abort_of(0), &ranks.kept(0));
      const auto end = ring.barrier();
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::generation_changed) << end.error().message;
      EXPECT_TRUE(aborted);
    }
    TcpCommunicator ring(ranks.listener(0), generation(3, 0), ranks.abort_of(0), &ranks.kept(0));
    ASSERT_TRUE(sum_of(ring, 1, 10, 3));
  });
  TcpCommunicator ring(ranks.listener(1), generation(3, 1), ranks.abort_of(1), &ranks.kept(1));
  ahead = true;
  ASSERT_TRUE(sum_of(ring, 2, 10, 3));
  behind.join();
  agent.join();
}

}  // namespace
}  // namespace ringmaster::collectives

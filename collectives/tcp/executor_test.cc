// SPDX-License-Identifier: Apache-2.0
//
// A rank whose peers send anything at all: it says so, and neither hangs nor writes past what it
// was to receive. Sockets that hold next to nothing. Messages between any two.
#include "collectives/tcp/executor.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/call_text.h"
#include "collectives/tcp/nonce.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

constexpr const char* kJobSecret = "secret of the job";

/// Knocks as the rank at `from`; not valid when nobody looks any more.
FileDescriptor enter(const std::string& endpoint, std::uint32_t from, std::uint32_t to,
                     const std::atomic<bool>& over) {
  const auto address = parse_endpoint(endpoint);
  FileDescriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(::connect(fd.get(), address->get(), address->length) == 0);
  const auto hello = encode_hello({1, from, to, make_nonce()}, kJobSecret);
  CHECK(::send(fd.get(), hello.data(), hello.size(), MSG_NOSIGNAL) > 0);
  AnswerBytes answer;
  for (std::size_t got = 0; got < answer.size();) {
    pollfd wait{fd.get(), POLLIN, 0};
    if (::poll(&wait, 1, 1) == 0) {
      if (over) return {};
      continue;
    }
    const ssize_t bytes = ::recv(fd.get(), answer.data() + got, answer.size() - got, 0);
    if (bytes <= 0) return {};
    got += static_cast<std::size_t>(bytes);
  }
  const auto confirm = make_confirm(hello, answer, kJobSecret);
  if (::send(fd.get(), confirm.data(), confirm.size(), MSG_NOSIGNAL) <= 0) return {};
  return fd;
}

std::vector<std::byte> draw_bytes(Random& random, const Call& call) {
  std::vector<std::byte> all;
  const auto frames = 1 + random.below(4);
  for (std::uint64_t i = 0; i < frames; ++i) {
    Frame frame;
    frame.kind = static_cast<FrameKind>(1 + random.below(6));
    frame.generation = random.chance(0.9) ? 1 : 2;
    frame.operation = random.chance(0.9) ? 1 : random.below(4);
    frame.call = call;
    if (random.chance(0.2)) frame.call.count += random.below(3);
    frame.index = static_cast<std::uint32_t>(random.chance(0.8) ? 0 : random.below(5));
    const bool bare = frame.kind == FrameKind::token || frame.kind == FrameKind::reunion;
    if (!bare) frame.bytes = random.chance(0.7) ? 100 : 90;
    const FrameBytes header = encode_frame(frame);
    all.insert(all.end(), header.begin(), header.end());
    for (std::uint32_t b = 0; b < frame.bytes; ++b) {
      all.push_back(static_cast<std::byte>(random.chance(0.8) ? 'x' : random.below(256)));
    }
  }
  if (random.chance(0.3)) {
    all[random.below(all.size())] ^= static_cast<std::byte>(1U << random.below(8));
  }
  if (random.chance(0.3)) all.resize(random.below(all.size()));
  return all;
}

TEST(Executor, SurvivesAnyPeer) {
  constexpr std::uint64_t kSeeds = kSanitized ? 150 : 600;
  TcpRanks ranks(3);
  const Call call{kBroadcast, std::uint32_t{RINGMASTER_UINT8}, 0, 1, 100};
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    // Rank 2 hears a broadcast from rank 1, and tokens of both.
    auto ring = ranks.make(1, 2);
    ring->set_timeout(std::chrono::milliseconds(20));
    ring->set_grace(Duration{0});
    std::atomic<bool> over{false};
    std::thread peers([&] {
      for (std::uint32_t from = 0; from < 2; ++from) {
        const auto fd = enter(ranks.endpoint(2), from, 2, over);
        if (!fd.valid()) return;
        const auto bytes = draw_bytes(random, call);
        // It may have heard enough already.
        [[maybe_unused]] const auto sent =
            ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        shutdown(fd.get(), SHUT_WR);
      }
    });
    struct {
      std::byte data[100], guard[64] = {};
    } memory;
    auto end = ring->broadcast(memory.data, sizeof(memory.data), RINGMASTER_UINT8, 1);
    over = true;
    peers.join();
    for (const std::byte b : memory.guard) ASSERT_EQ(b, std::byte{0});
    if (end) continue;  // the right frames can come by chance
    const Errc code = end.error().code;
    EXPECT_TRUE(code == Errc::closed || code == Errc::corrupt || code == Errc::mismatch ||
                code == Errc::timed_out)
        << end.error().message;
  }
}

using Values = std::vector<std::int32_t>;

/// Array `turn` that goes from one position to another; its size follows from all three.
Values message(int from, int to, int turn) {
  Random random(static_cast<std::uint64_t>(from * 10000 + to * 100 + turn));
  Values values(random.below(3) * random.below(90000));
  for (std::int32_t& value : values) value = static_cast<std::int32_t>(random.next());
  return values;
}

Transfer transfer(Values& values, int peer) {
  return {values.data(), values.size(), RINGMASTER_INT32, peer};
}

// A rank's sends are all in one call, their receives one by one in some order of peers: what meets
// is decided by the order between two positions alone. A collective before and after.
TEST(TcpExchange, MovesArraysBetweenAnyTwo) {
  constexpr int kMembers = 4, kArrays = 3;
  TcpRanks ranks(kMembers);
  ranks.run(1, [&](TcpCommunicator& ring) {
    const int own = ring.position();
    for (int round = 0; round < 3; ++round) {
      ASSERT_TRUE(ring.barrier());
      std::vector<Values> sent, received;
      std::vector<Transfer> sends, receives;
      for (int turn = 0; turn < kArrays; ++turn) {
        for (int peer = 0; peer < kMembers; ++peer) {
          sent.push_back(message(own, peer, turn));
          received.emplace_back(message(peer, own, turn).size());
        }
      }
      for (std::size_t i = 0; i < sent.size(); ++i) {
        const int peer = static_cast<int>(i) % kMembers;
        sends.push_back(transfer(sent[i], peer));
        receives.push_back(transfer(received[i], peer));
      }
      const auto end = ring.exchange(sends, receives);
      ASSERT_TRUE(end.ok()) << end.error().message;
      for (std::size_t i = 0; i < received.size(); ++i) {
        const int peer = static_cast<int>(i) % kMembers, turn = static_cast<int>(i) / kMembers;
        EXPECT_EQ(received[i], message(peer, own, turn));
      }
    }
  });
}

TEST(TcpExchange, ConcernsNobodyElse) {
  TcpRanks ranks(3);
  ranks.run(1, [&](TcpCommunicator& ring) {
    for (int turn = 0; turn < 20; ++turn) {
      Values values = message(0, 2, turn), other(values.size());
      if (ring.position() == 0) {
        ASSERT_TRUE(ring.exchange({transfer(values, 2)}, {}));
      }
      if (ring.position() == 2) {
        // Two sends that are already on their way, taken one after the other.
        ASSERT_TRUE(ring.exchange({}, {transfer(other, 0)}));
        EXPECT_EQ(other, values);
      }
      if (turn % 4 == 3) {
        ASSERT_TRUE(ring.barrier());
      }
    }
  });
}

TEST(TcpExchange, OtherCountsAndACollectiveAreMismatches) {
  TcpRanks ranks(2);
  for (std::int64_t generation = 1; generation <= 2; ++generation) {
    ranks.run(generation, [&](TcpCommunicator& ring) {
      Values values(10), less(9);
      ASSERT_TRUE(ring.barrier());
      Result<void> end;
      if (ring.position() == 0) {
        end = ring.exchange({transfer(values, 1)}, {transfer(values, 1)});
      } else if (generation == 1) {
        end = ring.exchange({transfer(values, 0)}, {transfer(less, 0)});
      } else {
        end = ring.barrier();
      }
      // Who has sent what the other does not want, and has all that it wanted, may have ended.
      if (end && ring.position() == 0 && generation == 1) return;
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::mismatch);
      EXPECT_EQ(end.error().message,
                generation == 1
                    ? "rank 0 called exchange of 10 int32, rank 1 called exchange of 9 int32"
                    : "rank 0 called exchange of 10 int32, rank 1 called barrier");
    });
  }
}

TEST(TcpAllToAll, SaysWhoGivesWhatNobodyTakes) {
  TcpRanks ranks(3);
  ranks.run(1, [&](TcpCommunicator& ring) {
    const int own = ring.position();
    std::vector<float> in(10), out(10);
    Counts give(3, 1), take(3, 1);
    if (own == 0) give[2] = 0;
    const auto end = ring.all_to_all(in.data(), give, out.data(), take, RINGMASTER_FLOAT32);
    ASSERT_FALSE(end.ok());  // also on rank 1, whose own counts are right
    EXPECT_EQ(end.error().message, "all_to_all: rank 0 gives 0 elements to rank 2, which takes 1");
  });
}

/// What is accepted from now on has sockets that hold a fraction of a chunk.
void shrink(TcpRanks& ranks) {
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const int send = 4096, receive = 16384;
    const int fd = ranks.listener(rank).fd();
    ASSERT_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send, sizeof(send)), 0);
    ASSERT_EQ(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof(receive)), 0);
  }
}

// Nobody's progress may depend on what the sockets between hold.
TEST(TcpSmallBuffers, EveryAlgorithmComesThrough) {
  using schedules::Operation;
  constexpr std::size_t kCount = 40000;
  for (const auto algorithm : schedules::algorithms_of(Operation::all_reduce)) {
    SCOPED_TRACE(name_of(algorithm));
    TcpRanks ranks(5);
    shrink(ranks);
    ranks.run(1, [&](TcpCommunicator& ring) {
      ring.set_choice({{}, algorithm});
      Values data(kCount, 1 + ring.position()), all(kCount * 5), other(kCount * 5);
      ASSERT_TRUE(
          ring.all_reduce(data.data(), data.data(), kCount, RINGMASTER_INT32, RINGMASTER_SUM));
      EXPECT_EQ(data, Values(kCount, 15));
      ASSERT_TRUE(ring.all_gather(data.data(), all.data(), kCount, RINGMASTER_INT32));
      EXPECT_EQ(all, Values(all.size(), 15));
      const Counts even(5, kCount);
      ASSERT_TRUE(ring.all_to_all(all.data(), even, other.data(), even, RINGMASTER_INT32));
      EXPECT_EQ(other, all);
      ASSERT_TRUE(
          ring.reduce_scatter(all.data(), data.data(), even, RINGMASTER_INT32, RINGMASTER_SUM));
      EXPECT_EQ(data, Values(kCount, 75));
      ASSERT_TRUE(ring.broadcast(ring.position() == 3 ? nullptr : data.data(), kCount,
                                 RINGMASTER_INT32, 1));
      EXPECT_EQ(data, Values(kCount, 75));
    });
  }
}

}  // namespace
}  // namespace ringmaster::collectives

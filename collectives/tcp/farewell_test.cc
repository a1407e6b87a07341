// SPDX-License-Identifier: Apache-2.0
//
// Ranks that call different operations: an error on all of them, with both calls, and no hang.
#include "collectives/tcp/farewell.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/call_text.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

Result<void> perform(TcpCommunicator& ring, const Call& call) {
  const auto type = static_cast<Type>(call.type);
  const std::size_t count = call.count;
  std::vector<std::byte> data(count * 8), all(count * 8 * static_cast<std::size_t>(ring.size()));
  if (call.kind == kBarrier) return ring.barrier();
  if (call.kind == kBroadcast) {
    return ring.broadcast(data.data(), count, type, static_cast<int>(call.root));
  }
  if (call.kind == kAllGather) return ring.all_gather(data.data(), all.data(), count, type);
  return ring.all_reduce(data.data(), all.data(), count, type,
                         static_cast<Reduction>(call.reduction));
}

Call draw_call(Random& random, int ranks) {
  Call call;
  call.kind = 1 + static_cast<std::uint32_t>(random.below(4));
  if (call.kind == kBarrier) return call;
  call.type = static_cast<std::uint32_t>(random.below(2));
  call.count = random.chance(0.4) ? random.below(3) : 1 + random.below(300000);
  if (call.kind == kBroadcast) {
    call.root = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(ranks)));
  }
  if (call.kind == kAllReduce) call.reduction = static_cast<std::uint32_t>(random.below(4));
  return call;
}

/// Another call, often different in one thing only.
Call draw_other(Random& random, const Call& call, int ranks) {
  for (;;) {
    Call other = random.chance(0.5) ? draw_call(random, ranks) : call;
    if (other.kind == kAllReduce) other.reduction = static_cast<std::uint32_t>(random.below(4));
    if (other.kind != kBarrier && random.chance(0.5)) ++other.count;
    if (!(other == call)) return other;
  }
}

/// The texts that are right: any two ranks whose calls differ, the lower position first.
bool is_right(const std::string& text, const std::vector<Call>& calls) {
  for (std::size_t a = 0; a < calls.size(); ++a) {
    for (std::size_t b = a + 1; b < calls.size(); ++b) {
      if (calls[a] == calls[b]) continue;
      if (text == mismatch_text(calls[a], static_cast<int>(a), calls[b], static_cast<int>(b))) {
        return true;
      }
    }
  }
  return false;
}

constexpr std::uint64_t kDifferences = kSanitized ? 25 : 60;  // many times slower

// Ranks that were not connected yet when the others found the difference, and left, once waited for
// their whole time-out.
TEST(TcpMismatch, EveryDifferenceIsAnErrorOnAllRanks) {
  for (std::uint64_t seed = 1; seed <= kDifferences; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int size = 2 + static_cast<int>(random.below(4));
    TcpRanks ranks(size);
    std::vector<Call> calls(static_cast<std::size_t>(size), draw_call(random, size));
    const Call other = draw_other(random, calls[0], size);
    calls[random.below(calls.size())] = other;
    if (random.chance(0.3)) calls[random.below(calls.size())] = other;
    if (calls.front() == other && std::equal(calls.begin() + 1, calls.end(), calls.begin())) {
      continue;
    }
    const bool warm = random.chance(0.5);
    ranks.run(1, [&](TcpCommunicator& ring) {
      if (warm) {
        ASSERT_TRUE(ring.barrier());
      }
      auto end = perform(ring, calls[static_cast<std::size_t>(ring.position())]);
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::mismatch) << end.error().message;
      EXPECT_TRUE(is_right(end.error().message, calls)) << end.error().message;
      EXPECT_EQ(ring.barrier().error().code, Errc::mismatch);  // nothing is in step after that
    });
  }
}

// The first two differ, find it, and leave; the last one learns it from what lies in its sockets.
TEST(TcpMismatch, ReachesARankThatCallsAfterTheOthersHaveGone) {
  for (const int size : {3, 5}) {
    SCOPED_TRACE(size);
    TcpRanks ranks(size);
    std::atomic<int> gone{0};
    ranks.run(1, [&](TcpCommunicator& ring) {
      ring.set_grace(std::chrono::seconds(5));
      ASSERT_TRUE(ring.barrier());
      const int last = size - 1;
      while (ring.position() == last && gone < last) std::this_thread::yield();
      std::vector<float> data(1000000);
      auto end = ring.position() == 0
                     ? ring.broadcast(data.data(), data.size(), RINGMASTER_FLOAT32, 0)
                     : ring.all_reduce(data.data(), data.data(), data.size(), RINGMASTER_FLOAT32,
                                       RINGMASTER_MAX);
      ++gone;
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::mismatch) << end.error().message;
    });
  }
}

}  // namespace
}  // namespace ringmaster::collectives

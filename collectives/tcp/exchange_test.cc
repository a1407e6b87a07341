// SPDX-License-Identifier: Apache-2.0
//
// A rank whose neighbour sends anything at all: it says so, and neither hangs nor writes past what
// it was to receive.
#include "collectives/tcp/exchange.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/random.h"
#include "collectives/call_text.h"
#include "collectives/ringmaster_collectives.h"

namespace ringmaster::collectives {
namespace {

struct Pair {
  Pair() {
    int fds[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    ours.reset(fds[0]);
    theirs.reset(fds[1]);
  }
  FileDescriptor ours, theirs;
};

std::vector<std::byte> draw_bytes(Random& random, const Call& call) {
  std::vector<std::byte> all;
  const auto frames = 1 + random.below(4);
  for (std::uint64_t i = 0; i < frames; ++i) {
    Frame frame;
    frame.kind = static_cast<FrameKind>(1 + random.below(3));
    frame.generation = random.chance(0.9) ? 1 : 2;
    frame.operation = random.chance(0.9) ? 1 : random.below(4);
    frame.call = call;
    if (random.chance(0.2)) frame.call.count += random.below(3);
    frame.index = static_cast<std::uint32_t>(random.chance(0.8) ? i : random.below(5));
    if (frame.kind == FrameKind::chunk) frame.bytes = random.chance(0.7) ? 100 : 90;
    if (frame.kind == FrameKind::mismatch) frame.bytes = kMismatchBytes;
    const FrameBytes header = encode_frame(frame);
    all.insert(all.end(), header.begin(), header.end());
    for (std::uint32_t b = 0; b < frame.bytes; ++b) {
      all.push_back(static_cast<std::byte>(random.chance(0.8) ? 0 : random.below(256)));
    }
  }
  if (random.chance(0.3)) {
    all[random.below(all.size())] ^= static_cast<std::byte>(1U << random.below(8));
  }
  if (random.chance(0.3)) all.resize(random.below(all.size()));
  return all;
}

TEST(Exchange, SurvivesAnyNeighbour) {
  auto segment = Segment::create(1);
  ASSERT_TRUE(segment.ok());
  const Alarm alarm({*segment, -1}, 1);
  const std::vector<int> numbers = {0, 1, 2};
  const Call call{kBroadcast, std::uint32_t{RINGMASTER_UINT8}, 0, 0, 100};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Pair next, prev;
    for (const Pair* pair : {&next, &prev}) {
      if (pair == &next && random.chance(0.6)) continue;
      const auto bytes = draw_bytes(random, call);
      const auto sent = ::send(pair->theirs.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ASSERT_EQ(sent, static_cast<ssize_t>(bytes.size()));
    }
    prev.theirs.reset();
    if (random.chance(0.5)) {
      next.theirs.reset();
    } else {
      shutdown(next.theirs.get(), SHUT_WR);  // nothing more to say, so that nobody waits for it
    }
    Link to_next(std::move(next.ours), 2), to_prev(std::move(prev.ours), 0);
    std::vector<std::byte> data(100);
    Flow flow;
    flow.in = flow.out = Walk({{0, data.size()}});
    flow.tokens = 2;
    flow.source = flow.target = [&](const Chunk& chunk) { return data.data() + chunk.begin; };
    Exchange exchange({to_next, to_prev}, alarm,
                      {1, 1, call, 1, numbers, std::chrono::milliseconds(20), Duration{0}},
                      std::move(flow));
    auto end = exchange.run();
    if (end) continue;  // two tokens and the chunk can come by chance
    const Errc code = end.error().code;
    EXPECT_TRUE(code == Errc::closed || code == Errc::corrupt || code == Errc::mismatch)
        << end.error().message;
  }
}

}  // namespace
}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/reunion.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "base/check.h"
#include "base/random.h"

namespace ringmaster::collectives {
namespace {

constexpr std::int64_t kNew = 5;  // the generation in which they meet

struct Ends {
  std::unique_ptr<Link> own;
  FileDescriptor other;
};

Ends make_ends() {
  std::array<int, 2> ends{};
  const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  CHECK(::socketpair(AF_UNIX, type, 0, ends.data()) == 0);
  return {std::make_unique<Link>(FileDescriptor(ends[0]), 3), FileDescriptor(ends[1])};
}

void append(std::vector<std::byte>& bytes, FrameKind kind, std::int64_t generation,
            std::uint32_t payload = 0) {
  Frame frame;
  frame.kind = kind;
  frame.generation = generation;
  frame.bytes = payload;
  const FrameBytes header = encode_frame(frame);
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.resize(bytes.size() + payload, std::byte{0x5a});
}

void write_all(const FileDescriptor& to, std::span<const std::byte> bytes) {
  ASSERT_EQ(::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

TEST(Reunion, ThrowsAwayWhatIsOldInWhateverPiecesItComes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Ends ends = make_ends();
    std::vector<std::byte> bytes;
    for (std::uint64_t frames = random.below(6); frames > 0; --frames) {
      const auto old = static_cast<std::int64_t>(1 + random.below(kNew - 1));
      if (random.chance(0.3)) append(bytes, FrameKind::reunion, old);
      if (random.chance(0.3)) append(bytes, FrameKind::token, old);
      const auto payload = static_cast<std::uint32_t>(1 + random.below(20000));
      append(bytes, FrameKind::chunk, old, payload);
    }
    // An old frame was half read when its generation ended.
    const bool begun = !bytes.empty() && random.chance(0.5);
    append(bytes, FrameKind::reunion, kNew);
    append(bytes, FrameKind::token, kNew);
    if (begun) {
      write_all(ends.other, std::span(bytes).first(60));
      bytes.erase(bytes.begin(), bytes.begin() + 60);
      if (ends.own->pull_header() == Io::done) {
        std::array<std::byte, 20000> memory{};
        static_cast<void>(ends.own->pull_payload(memory.data()));
      }
    }
    Reunion reunion(std::move(ends.own), 1, kNew);
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = std::min<std::size_t>(1 + random.below(9000), bytes.size() - at);
      write_all(ends.other, std::span(bytes).subspan(at, piece));
      at += piece;
      reunion.step();
    }
    ASSERT_TRUE(reunion.ready());
    const auto link = reunion.take();
    EXPECT_EQ(link->peer(), 1);
    ASSERT_EQ(link->pull_header(), Io::done);
    EXPECT_EQ(link->frame()->kind, FrameKind::token);
    EXPECT_EQ(link->frame()->generation, kNew);
  }
}

TEST(Reunion, IsLostWhenTheBytesAreNobodysOrTheOtherEndIsClosed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Ends ends = make_ends();
    std::vector<std::byte> bytes;
    if (seed % 2 == 0) append(bytes, FrameKind::chunk, 2, 700);
    for (std::size_t i = 0; i < kFrameBytes; ++i) {
      bytes.push_back(static_cast<std::byte>(random.below(256)));
    }
    if (seed % 5 == 0) {
      ends.other.reset();
    } else {
      write_all(ends.other, bytes);
    }
    Reunion reunion(std::move(ends.own), 1, kNew);
    reunion.step();
    reunion.step();
    EXPECT_TRUE(reunion.lost()) << seed;
    EXPECT_FALSE(reunion.ready()) << seed;
  }
}

TEST(Reunion, TheWordOfALaterGenerationWaitsForIt) {
  Ends ends = make_ends();
  std::vector<std::byte> bytes;
  append(bytes, FrameKind::chunk, 4, 100);
  append(bytes, FrameKind::reunion, kNew + 2);
  write_all(ends.other, bytes);
  std::unique_ptr<Link> link = std::move(ends.own);
  for (const std::int64_t generation : {kNew, kNew + 1, kNew + 2}) {
    Reunion reunion(std::move(link), 1, generation);
    reunion.step();
    reunion.step();
    EXPECT_FALSE(reunion.lost());
    EXPECT_EQ(reunion.ready(), generation == kNew + 2);
    link = reunion.take();
  }
}

}  // namespace
}  // namespace ringmaster::collectives

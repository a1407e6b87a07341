// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/frame.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::collectives {
namespace {

Call call_of(Random& random) {
  return {static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next()),
          static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next()),
          random.next()};
}

TEST(Frame, ReadsWhatItWrites) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto kind = static_cast<FrameKind>(1 + random.below(7));
    const bool note =
        kind == FrameKind::mismatch || kind == FrameKind::differ || kind == FrameKind::present;
    const bool bare = kind == FrameKind::token || kind == FrameKind::reunion;
    const auto bytes = bare ? 0 : 1 + random.below(note ? kNoteBytesMax : kChunkBytes);
    const Frame frame{kind,
                      static_cast<std::int64_t>(random.next()),
                      random.next(),
                      call_of(random),
                      static_cast<std::uint32_t>(bytes),
                      static_cast<std::uint32_t>(random.next())};
    EXPECT_EQ(decode_frame(encode_frame(frame)), frame);
  }
}

TEST(Frame, RefusesOtherSizesAndKinds) {
  const auto refused = [](FrameKind kind, std::size_t bytes) {
    Frame frame;
    frame.kind = kind;
    frame.bytes = static_cast<std::uint32_t>(bytes);
    return !decode_frame(encode_frame(frame)).has_value();
  };
  EXPECT_TRUE(refused(FrameKind::token, 1));
  EXPECT_TRUE(refused(FrameKind::chunk, 0));
  EXPECT_TRUE(refused(FrameKind::chunk, kChunkBytes + 1));
  EXPECT_TRUE(refused(FrameKind::mismatch, 0));
  EXPECT_TRUE(refused(FrameKind::mismatch, kNoteBytesMax + 1));
  EXPECT_TRUE(refused(FrameKind::present, kNoteBytesMax + 1));
  EXPECT_TRUE(refused(FrameKind::message, kChunkBytes + 1));
  EXPECT_FALSE(refused(FrameKind::message, 0));
  EXPECT_TRUE(refused(static_cast<FrameKind>(0), 0));
  EXPECT_TRUE(refused(FrameKind::reunion, 1));
  EXPECT_TRUE(refused(FrameKind::differ, 0));
  EXPECT_TRUE(refused(static_cast<FrameKind>(8), 0));
  FrameBytes bytes = encode_frame(Frame{});
  bytes[0] ^= std::byte{1};
  EXPECT_FALSE(decode_frame(bytes));
}

}  // namespace
}  // namespace ringmaster::collectives

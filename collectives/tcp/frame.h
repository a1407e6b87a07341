// SPDX-License-Identifier: Apache-2.0
//
// What travels between two ranks: a header of fixed size, then its payload.
//
// Each header has the generation, the number of the operation and the call of its sender, so that
// the receiver compares calls with the first frame of an operation, before it touches its output.
// 56 bytes are nothing beside a chunk, and no state has to be kept between frames.
//
// Pure; all numbers are little-endian.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "collectives/shm/segment.h"

namespace ringmaster::collectives {

enum class FrameKind : std::uint32_t {
  token = 1,     // "I have called": no payload
  chunk = 2,     // a piece of an array
  mismatch = 3,  // two ranks called different things, in words: the last frame of its direction
  present = 4,   // who is known to have called: a bit for each position, the lowest first
  message = 5,   // a piece of an array that was sent to this rank, and belongs to no operation
  reunion = 6,   // on a kept connection: what follows is of this generation. No payload
  differ = 7,    // the same as mismatch, before it is decided in whose words (farewell.h)
};

/// Bytes of the largest piece of an array: a few fill a socket, and two fit a core's cache.
inline constexpr std::size_t kChunkBytes = 128 * 1024;
/// Bytes of the other payloads: words, and a bit for each of 4,096 ranks.
inline constexpr std::size_t kNoteBytesMax = 512;

struct Frame {
  FrameKind kind = FrameKind::token;
  std::int64_t generation = 0;
  std::uint64_t operation = 0;  // counts from 1 in each generation; of a message: the last before
  Call call;                    // of the sender
  std::uint32_t bytes = 0;      // of the payload
  std::uint32_t index = 0;      // of the chunk among those of its step, modulo 2^32
  friend bool operator==(const Frame&, const Frame&) = default;
};

inline constexpr std::size_t kFrameBytes = 56;
using FrameBytes = std::array<std::byte, kFrameBytes>;

FrameBytes encode_frame(const Frame& frame);
/// Nothing when no rank of this version sends such a header.
std::optional<Frame> decode_frame(std::span<const std::byte, kFrameBytes> bytes);

}  // namespace ringmaster::collectives

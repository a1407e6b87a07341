// SPDX-License-Identifier: Apache-2.0
//
// What travels between two neighbours of the ring: a header of fixed size, then its payload.
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
  token = 1,     // "this rank has called": no payload; passed on until all know it of all
  chunk = 2,     // a piece of an array
  mismatch = 3,  // a Mismatch: the operation is over; the last frame of its direction
};

/// Bytes of the largest payload: see flow.h.
inline constexpr std::size_t kChunkBytes = 128 * 1024;

struct Frame {
  FrameKind kind = FrameKind::token;
  std::int64_t generation = 0;
  std::uint64_t operation = 0;  // counts from 1 in each generation
  Call call;                    // of the sender
  std::uint32_t bytes = 0;      // of the payload
  std::uint32_t index = 0;      // of the chunk among those of its operation, modulo 2^32
  friend bool operator==(const Frame&, const Frame&) = default;
};

/// Two ranks that called different things.
struct Mismatch {
  std::uint32_t position_a = 0;
  std::uint32_t position_b = 0;
  Call a;
  Call b;
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

inline constexpr std::size_t kFrameBytes = 56;
inline constexpr std::size_t kMismatchBytes = 56;
using FrameBytes = std::array<std::byte, kFrameBytes>;
using MismatchBytes = std::array<std::byte, kMismatchBytes>;

FrameBytes encode_frame(const Frame& frame);
/// Nothing when no rank of this version sends such a header.
std::optional<Frame> decode_frame(std::span<const std::byte, kFrameBytes> bytes);

MismatchBytes encode_mismatch(const Mismatch& mismatch);
Mismatch decode_mismatch(const MismatchBytes& bytes);

}  // namespace ringmaster::collectives

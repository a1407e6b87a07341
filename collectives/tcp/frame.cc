// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/frame.h"

#include "collectives/tcp/little_endian.h"

namespace ringmaster::collectives {

namespace {

constexpr std::uint32_t kFrameMagic = 0x46434d52;  // "RMCF"

void put_call(std::byte* to, const Call& call) {
  put_u32(to, call.kind);
  put_u32(to + 4, call.type);
  put_u32(to + 8, call.reduction);
  put_u32(to + 12, call.root);
  put_u64(to + 16, call.count);
}

Call get_call(const std::byte* from) {
  return {get_u32(from), get_u32(from + 4), get_u32(from + 8), get_u32(from + 12),
          get_u64(from + 16)};
}

bool right_size(FrameKind kind, std::uint32_t bytes) {
  switch (kind) {
    case FrameKind::token:
    case FrameKind::reunion:
      return bytes == 0;
    case FrameKind::chunk:
      return bytes > 0 && bytes <= kChunkBytes;
    case FrameKind::mismatch:
    case FrameKind::differ:
    case FrameKind::present:
      return bytes > 0 && bytes <= kNoteBytesMax;
    case FrameKind::message:
      return bytes <= kChunkBytes;
  }
  return false;
}

}  // namespace

FrameBytes encode_frame(const Frame& frame) {
  FrameBytes bytes{};
  put_u32(bytes.data(), kFrameMagic);
  put_u32(bytes.data() + 4, static_cast<std::uint32_t>(frame.kind));
  put_u64(bytes.data() + 8, static_cast<std::uint64_t>(frame.generation));
  put_u64(bytes.data() + 16, frame.operation);
  put_call(bytes.data() + 24, frame.call);
  put_u32(bytes.data() + 48, frame.bytes);
  put_u32(bytes.data() + 52, frame.index);
  return bytes;
}

std::optional<Frame> decode_frame(std::span<const std::byte, kFrameBytes> bytes) {
  if (get_u32(bytes.data()) != kFrameMagic) return {};
  Frame frame;
  frame.kind = static_cast<FrameKind>(get_u32(bytes.data() + 4));
  frame.generation = static_cast<std::int64_t>(get_u64(bytes.data() + 8));
  frame.operation = get_u64(bytes.data() + 16);
  frame.call = get_call(bytes.data() + 24);
  frame.bytes = get_u32(bytes.data() + 48);
  frame.index = get_u32(bytes.data() + 52);
  if (!right_size(frame.kind, frame.bytes)) return {};
  return frame;
}

}  // namespace ringmaster::collectives

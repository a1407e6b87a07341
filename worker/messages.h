// SPDX-License-Identifier: Apache-2.0
//
// What a rank and its agent say to each other over the inherited socket (docs/messages.md). One
// message is one packet of a SOCK_SEQPACKET socket, little-endian, of fixed layout. Not Protobuf:
// this code is loaded into the user's process, where another Protobuf may already be.
//
// Pure. The decoder takes any bytes and never reads past them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace ringmaster::worker {

/// Rank: let me into the next generation; I touch nothing of an older one. `steps`: what my state
/// holds, -1: none.
struct JoinMessage {
  std::int64_t steps = -1;
};
/// Agent: this is the generation, and you are in it.
struct FormMessage {
  std::int64_t generation = 0;
  std::int64_t since_ns = 0;  // CLOCK_MONOTONIC of what ended the last one
  std::uint32_t position = 0;
  std::uint32_t joined = 0;
  std::uint32_t lost = 0;
  std::uint32_t cpus = 1;                   // processors that the ranks of this host share
  std::vector<std::uint32_t> numbers = {};  // rank numbers in order of position
  std::string reason = {};
  std::vector<std::string> endpoints = {};  // by position; empty: all are on this host
  std::string secret = {};                  // of the job, for connections between ranks
  std::vector<std::uint32_t> hosts = {};    // by position, as many as endpoints; equal: same host
  std::int64_t save_every = 0;              // steps; 0: not by their number
  std::int64_t save_period_ns = 0;          // 0: not by the time
};
/// Rank: all members hold one state, that of rank `source`.
struct SyncedMessage {
  std::int64_t generation = 0;
  std::int64_t steps = 0;
  std::uint32_t source = 0;
};
/// Rank: my finished steps have reached the slot's watch.
struct ReachedMessage {
  std::int64_t steps = 0;
};
/// Rank: every member has passed the end of the work.
struct FinishedMessage {
  std::int64_t generation = 0;
};
/// Rank: I am about to end with this error.
struct FailedMessage {
  std::string text;
};

/// Rank: my share of the state after `steps` steps is in the memory that comes with this packet
/// (worker/staged_memory.h), divided as share_of() says; or, with a text, it is not, and this is
/// why. Without a text the packet carries a descriptor.
struct StagedMessage {
  std::int64_t generation = 0;
  std::int64_t steps = 0;
  std::uint32_t position = 0;
  std::uint32_t members = 1;
  std::vector<std::uint64_t> blocks = {};  // bytes of each block of the whole state
  std::string why = {};
};
/// Agent: whoever holds no state takes the one in the memory that comes with this packet. Before a
/// form.
struct RestoreMessage {
  std::int64_t steps = 0;
  std::vector<std::uint64_t> blocks = {};
};

using Message = std::variant<JoinMessage, FormMessage, SyncedMessage, ReachedMessage,
                             FinishedMessage, FailedMessage, StagedMessage, RestoreMessage>;

/// Longer texts are cut, so that a packet always fits the socket's buffer.
inline constexpr std::size_t kTextMax = 4000;
inline constexpr std::size_t kRanksMax = 4096;
/// More blocks of state than this are not saved: their sizes are in a packet.
inline constexpr std::size_t kBlocksMax = 8192;
inline constexpr std::uint64_t kBlockBytesMax = 1ULL << 45;  // sums of them stay below 2^63
/// Over several hosts each rank has an endpoint in the table, and a packet must fit a socket.
inline constexpr std::size_t kEndpointsMax = 2048;
inline constexpr std::size_t kEndpointMax = 56;  // "[...]:65535" with the longest IPv6 address
inline constexpr std::size_t kPacketMax =
    128 + 4 * kRanksMax + (8 + kEndpointMax) * kEndpointsMax + 2 * kTextMax;

std::string encode(const Message& message);
Result<Message> decode(std::string_view packet);

}  // namespace ringmaster::worker

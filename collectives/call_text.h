// SPDX-License-Identifier: Apache-2.0
//
// The calls of ranks in words, for the messages that name who called what.
#pragma once

#include <string>

#include "collectives/communicator.h"
#include "collectives/shm/segment.h"

namespace ringmaster::collectives {

/// Call::kind. The numbers are what ranks compare.
inline constexpr std::uint32_t kBarrier = 1;
inline constexpr std::uint32_t kBroadcast = 2;
inline constexpr std::uint32_t kAllGather = 3;
inline constexpr std::uint32_t kAllReduce = 4;
inline constexpr std::uint32_t kReduceScatter = 5;
inline constexpr std::uint32_t kAllToAll = 6;
inline constexpr std::uint32_t kExchange = 7;  // one array of it

/// A call of which every position has a count of its own: other counts make another call.
Call counted_call(std::uint32_t kind, Type type, const Counts& counts);

/// "all_reduce of 10 float32 (sum)".
std::string call_text(const Call& call);
/// "rank 0 called barrier, rank 2 called all_reduce of 10 float32 (sum)".
std::string mismatch_text(const Call& a, int rank_a, const Call& b, int rank_b);
/// "all_to_all: rank 0 gives 5 elements to rank 2, which takes 4".
std::string parts_text(int from, std::size_t given, int to, std::size_t taken);
/// "barrier: rank 3 has not called it for 1800 s".
std::string late_text(const Call& call, int rank, double seconds);

}  // namespace ringmaster::collectives

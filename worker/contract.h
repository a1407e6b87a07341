// SPDX-License-Identifier: Apache-2.0
//
// What a rank finds in its environment: the names, said once for the launcher that sets them and
// the session that reads them.
#pragma once

#include <optional>

#include "base/result.h"

namespace ringmaster::worker {

/// The descriptor number of the socket to the agent (SOCK_SEQPACKET, worker/messages.h).
inline constexpr const char* kSocketVariable = "RINGMASTER_SOCKET_FD";
/// The descriptor number of the job's shared memory (collectives/shm/segment.h).
inline constexpr const char* kSegmentVariable = "RINGMASTER_SEGMENT_FD";
/// The rank's number.
inline constexpr const char* kRankVariable = "RINGMASTER_RANK";

struct RankContract {
  int socket_fd = -1;
  int segment_fd = -1;
  int rank = 0;
};

/// Reads the environment. Nothing: the program was started by hand, without a launcher. Half of a
/// contract, or one that is no number, is an error.
Result<std::optional<RankContract>> read_rank_contract();

}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
//
// What a rank finds in its environment: the names, said once for the launcher that sets them and
// the session that reads them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringmaster::worker {

/// The descriptor number of the socket to the agent (SOCK_SEQPACKET, worker/messages.h).
inline constexpr const char* kSocketVariable = "RINGMASTER_SOCKET_FD";
/// The descriptor number of the job's shared memory (collectives/shm/segment.h).
inline constexpr const char* kSegmentVariable = "RINGMASTER_SEGMENT_FD";
/// The descriptor number of an eventfd that is readable from an abort to the next generation.
inline constexpr const char* kAbortVariable = "RINGMASTER_ABORT_FD";
/// The descriptor number of a socket that listens for ranks of other hosts; not set on a lone host.
inline constexpr const char* kListenerVariable = "RINGMASTER_LISTENER_FD";
/// The rank's number.
inline constexpr const char* kRankVariable = "RINGMASTER_RANK";

/// How operations between hosts are carried out, where that is not left to the model of the network
/// (collectives/schedules/choose.h): "ring", "round_us=50,byte_ns=8". Set by the user, for all
/// ranks of a job alike.
inline constexpr const char* kAlgorithmVariable = "RINGMASTER_ALGORITHM";

struct RankContract {
  int socket_fd = -1;
  int segment_fd = -1;
  int rank = 0;
  int abort_fd = -1;     // -1: an older launcher
  int listener_fd = -1;  // -1: the job has one host
  std::string algorithm = {};
};

/// Reads the environment. Nothing: the program was started by hand, without a launcher. Half of a
/// contract, or one that is no number, is an error.
Result<std::optional<RankContract>> read_rank_contract();

}  // namespace ringmaster::worker

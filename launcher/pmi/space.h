// SPDX-License-Identifier: Apache-2.0
//
// What the PMI-1 server of a job knows and answers: its key-value space, who waits in the barrier,
// who has come and gone.
//
// Ranks put what others need to reach them, meet in a barrier, and get. The work for one line does
// not depend on the number of ranks, but for the line that completes a barrier, which is answered
// to all; so 1,000 ranks cost 1,000 times what one does.
//
// MPI has no way on without a member. A barrier that can no longer complete, because some rank has
// ended, is a failure of who waits in it, not a wait for ever. A later value replaces an earlier
// one of its key: MPICH itself asks for no more, and a rank's bound on keys would be one more
// number.
//
// Pure: lines in, actions out. Not here: sockets (server.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "launcher/pmi/message.h"

namespace ringmaster::launcher::pmi {

/// Keys and values of all ranks together: 1,000 ranks with 60 values of full size. More is refused,
/// with the protocol's error.
inline constexpr std::size_t kSpaceBytesMax = 64 * 1024 * 1024;

struct Send {
  int rank = 0;
  std::string text;  // whole lines
};
/// The rank ends the job (MPI_Abort) with what it gave as the code, whatever it was.
struct Abort {
  int rank = 0;
  int code = 1;
};
/// The rank cannot go on; the words say why.
struct Fail {
  int rank = 0;
  std::string words;
};
/// Something that the user should read, though nothing has failed yet.
struct Say {
  std::string words;
};
using Action = std::variant<Send, Abort, Fail, Say>;

class Space {
 public:
  /// `process_mapping`: process_mapping_of(); `name` has no spaces.
  Space(int ranks, std::string name, std::string process_mapping);

  /// A line of the rank, without its newline.
  std::vector<Action> on_line(int rank, std::string_view line);
  /// The rank's process has ended, and so well that nobody would notice.
  std::vector<Action> on_ended(int rank);

  /// True from a rank's init to its finalize: it must not end now.
  bool inside(int rank) const { return at(rank).inside; }

 private:
  struct Rank {
    bool inside = false;
    bool waits = false;  // in the barrier
    bool ended = false;
    std::optional<std::string> opened;  // the multi-line command that it is in the middle of
    std::string total, number;          // of spawns: "totspawns", "spawnssofar"
  };
  using Actions = std::vector<Action>;

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  void take(int rank, const Message& message, Actions& actions);
  void take_inner_line(int rank, std::string_view line, Actions& actions);
  void init(int rank, const Message& message, Actions& actions);
  void put(int rank, const Message& message, Actions& actions);
  void get(int rank, const Message& message, Actions& actions) const;
  void enter_barrier(int rank, Actions& actions);
  void names(int rank, const Message& message, Actions& actions);
  std::string store(const std::string& key, std::string_view value);
  void check_barrier(Actions& actions) const;

  std::vector<Rank> ranks_;
  std::string name_;
  std::unordered_map<std::string, std::string> values_;
  std::unordered_map<std::string, std::string> ports_;  // of published services
  std::size_t bytes_ = 0;
  int waiting_ = 0;
  int ended_rank_ = -1;  // one that has ended
};

/// What a rank has done that called MPI_Comm_spawn.
std::string spawn_refusal();

/// "(vector,(0,1,8))": which ranks share a host, as PMI_process_mapping has it. `hosts[r]`: the
/// host of rank r, counted from 0. "" when it is too long for a value: MPICH asks host names then.
std::string process_mapping_of(const std::vector<int>& hosts);

}  // namespace ringmaster::launcher::pmi

// SPDX-License-Identifier: Apache-2.0
//
// Tells when a job makes no progress any more: for a given time no rank has written a byte, none
// has finished a step of its session, and none has started or ended.
//
// Any of these from any rank counts for the whole job. A job in which one rank hangs falls still as
// a whole soon after, since the others wait for it; judging ranks one by one would end jobs whose
// rank 0 alone speaks. How long each rank was silent is told at the end: who is silent for longest
// is the first to look at.
//
// Pure: the time, and what was seen of the ranks, are arguments.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace ringmaster::launcher {

/// What is seen of a rank that runs.
struct RankSign {
  int rank = 0;
  pid_t pid = -1;
  Time heard = {};         // when it wrote last
  std::int64_t steps = 0;  // that its session has finished
};

class Stillness {
 public:
  Stillness(Duration limit, Time now) : limit_(limit), moved_(now), looked_(now) {}

  /// Takes in what is seen now; call it every period(). True when the job is still for the limit.
  bool look(Time now, const std::vector<RankSign>& signs);
  /// Time that does not count: the job was stopped, or waits for whoever reads its output.
  void excuse(Time now) { moved_ = looked_ = now; }

  /// A twentieth of the limit, a second at most: the error of what is seen only by looking.
  Duration period() const;
  /// When anything moved last.
  Time moved() const { return moved_; }
  /// When the rank moved last.
  Time moved(int rank) const;

 private:
  struct Seen {
    std::int64_t steps = 0;
    Time moved;
  };
  Duration limit_;
  Time moved_;
  Time looked_;
  std::map<int, Seen> ranks_;
};

/// What the kernel says that a process does: "sleeping in futex_wait_queue", "running". `root` (""
/// is the machine's) is where /proc is; "" when the process is not there.
std::string read_doing(const std::string& root, pid_t pid);

/// A line for each rank, the longest silent first, of at most `most` ranks; `doing` of each sign.
std::vector<std::string> silence_lines(const Stillness& stillness, Time now,
                                       const std::vector<RankSign>& signs,
                                       const std::vector<std::string>& doing, std::size_t most);

}  // namespace ringmaster::launcher

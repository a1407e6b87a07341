// SPDX-License-Identifier: Apache-2.0
//
// Kills everything that a process started, however deep and wherever it hid: in sessions and
// groups of its own, double-forked, with signals ignored.
//
// The idea: on a subreaper (PR_SET_CHILD_SUBREAPER) an orphan's new parent is the subreaper, so no
// descendant leaves the tree by losing its parent. Kill what /proc shows, reap, look again; only
// wait's ECHILD proves that nothing is left. Killing process groups or sessions would be one call,
// and misses whatever called setsid. Cgroups would be surer, and need rights that users lack.
//
// A process is identified by pid and start time, and signalled through a pidfd, so that a pid used
// anew is never hit. Not here: jobs whose launcher is gone (sweep.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ringmaster::launcher {

/// One line of /proc/PID/stat.
struct ProcessInfo {
  pid_t pid = 0;
  std::string name;  // as in comm: at most 15 bytes, any bytes
  char state = '?';
  pid_t parent = 0;
  pid_t session = 0;
  int threads = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot

  /// A zombie whose other threads still run is alive.
  bool alive() const { return (state != 'Z' && state != 'X') || threads > 1; }
};

/// Pure: reads the text of a stat file; the name may hold spaces, parentheses and newlines.
std::optional<ProcessInfo> parse_process_stat(std::string_view text);

std::optional<ProcessInfo> read_process(pid_t pid);
std::vector<ProcessInfo> list_processes();

/// The start time of a living process; nothing when it is gone or only a zombie of it is left.
std::optional<std::uint64_t> process_start_time(pid_t pid);

/// Pure: those of `all` below `root`, without `root`, zombies included. A process in `keep` hides
/// its whole subtree.
std::vector<ProcessInfo> descendants_of(pid_t root, const std::vector<ProcessInfo>& all,
                                        const std::vector<pid_t>& keep = {});

/// Kills all descendants of `root`, not `root` itself, until none is alive. An error names those
/// that were left at the deadline. Orphans are found only when `root` is a subreaper.
Result<void> kill_descendants(pid_t root, Duration deadline = std::chrono::seconds(10));

/// For a subreaper: kills and reaps all own descendants until wait says that there are no children.
/// The children in `keep` and what is below them are left alone, and not reaped: give the ranks
/// that go on to clear up what a lost one left behind. The status of whatever is reaped is lost.
Result<void> kill_all_children(Duration deadline = std::chrono::seconds(10),
                               const std::vector<pid_t>& keep = {});

/// Makes this process the new parent of its orphaned descendants.
void become_subreaper();

}  // namespace ringmaster::launcher

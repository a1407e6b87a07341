// SPDX-License-Identifier: Apache-2.0
//
// Starts one program as the leader of its own session, so that nothing of the launcher leaks into
// it: default signals, an empty mask, exactly the descriptors and the environment that are given,
// and the kernel's promise (PR_SET_PDEATHSIG) that it ends when the launcher does.
//
// An exec that fails is an error here, not an exit code of the child: the child sends errno through
// a pipe that a successful exec closes. Everything is prepared before the fork; between fork and
// exec only async-signal-safe calls are made. Not posix_spawn: it has no death signal, no working
// directory in older libraries, no affinity.
//
// Thread rules: PDEATHSIG follows the *thread* that spawned; call it from the thread that lives as
// long as the launcher. Not here: reaping (wait on the pidfd, then waitid).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace ringmaster::launcher {

/// Descriptors of the parent that become 0, 1 and 2; -1 is /dev/null. They stay the caller's.
struct StandardFds {
  int input = -1;
  int output = -1;
  int error = -1;
};

struct SpawnSpec {
  std::vector<std::string> command;  // a name without '/' is looked up on `environment`'s PATH
  std::vector<std::string> environment = {};  // "NAME=VALUE", complete: nothing is added
  StandardFds fds = {};
  std::vector<int> inherited_fds =
      {};                              // kept at their numbers (3 and above); all others are closed
  std::string working_directory = {};  // "" is the launcher's own
  std::optional<std::uint64_t> open_files =
      {};                                     // soft RLIMIT_NOFILE to set (capped at the hard one)
  std::optional<std::vector<int>> cpus = {};  // the affinity to set
};

struct Child {
  pid_t pid = -1;
  FileDescriptor pidfd;  // readable when the child has ended
};

/// Returns when the program runs (its exec succeeded) or cannot. The message begins with the
/// program's name and says why; its code is not_found when there is no such program.
Result<Child> spawn(const SpawnSpec& spec);

/// The exit code that shells use for a failed spawn: 127 when the program was not found, else 126.
int exit_code_of(const Error& error);

}  // namespace ringmaster::launcher

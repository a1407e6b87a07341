// SPDX-License-Identifier: Apache-2.0
//
// The half of spawn (spawn.h) that runs between fork and exec, with all that it needs prepared.
//
// Only async-signal-safe calls are made there: no allocation, no lock, no exception. That is why
// the plan holds plain pointers and why this half has a file of its own.
#pragma once

#include <sys/types.h>

#include <array>
#include <climits>
#include <cstdint>
#include <optional>
#include <vector>

namespace ringmaster::launcher {

struct ClosedRange {
  unsigned first;
  unsigned last;
};

/// A bit per cpu, as the kernel takes it; cpu_set_t stops at 1024.
using CpuSet = std::vector<unsigned long>;
inline constexpr int kCpuWordBits = sizeof(unsigned long) * CHAR_BIT;
inline constexpr int kCpusMax = 8192;  // the kernel's largest NR_CPUS

struct ExecPlan {
  std::vector<char*> candidates;  // each list ends with a null pointer
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::array<int, 3> standard;      // -1 is /dev/null
  std::vector<int> inherited;       // close-on-exec is taken off
  std::vector<ClosedRange> closed;  // ascending
  const char* directory;            // null: stay
  std::optional<std::uint64_t> open_files;
  CpuSet cpus;   // empty: leave the affinity
  int report;    // where an ExecFailure is written
  pid_t parent;  // who must still be alive
};

enum class ExecStage { descriptors, directory, affinity, open_files, exec };

struct ExecFailure {
  ExecStage stage;
  int error;      // errno
  int candidate;  // which file, at stage exec
};

/// Becomes the program, or reports why not. Called in the child with all signals blocked.
[[noreturn]] void exec_child(const ExecPlan& plan);

}  // namespace ringmaster::launcher

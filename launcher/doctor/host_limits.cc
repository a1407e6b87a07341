// SPDX-License-Identifier: Apache-2.0
//
// What this user's processes may have: descriptors, locked memory, threads, processors, room.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "launcher/doctor/checks.h"
#include "launcher/ending/memory_kills.h"

namespace ringmaster::launcher::doctor {

namespace {

constexpr std::uint64_t kMiB = 1ULL << 20, kGiB = 1ULL << 30;
/// What an agent counts for itself and for each rank that it starts (launcher/host).
constexpr std::uint64_t kFilesOfAgent = 128, kFilesOfEachRank = 8;

std::string size_text(std::uint64_t bytes) {
  if (bytes == kUnlimited) return "no limit";
  if (bytes >= 1024 && bytes < kMiB) return fmt::format("{} KiB", bytes / 1024);
  return bytes_text(static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX)));
}

std::string count_text(std::uint64_t count) {
  return count == kUnlimited ? "no limit" : fmt::format("{}", count);
}

std::uint64_t ranks_within(std::uint64_t files) {
  if (files == kUnlimited) return kUnlimited;
  return files <= kFilesOfAgent ? 0 : (files - kFilesOfAgent) / kFilesOfEachRank;
}

/// The room in a folder, judged by the bytes below which it is too small.
Verdict of_room(const FolderFacts& folder, std::uint64_t problem_below, std::uint64_t warning_below,
                const char* advice) {
  const std::string what = fmt::format("{}: {} of {} are free", folder.path,
                                       size_text(folder.free_bytes), size_text(folder.bytes));
  if (folder.free_bytes < problem_below) return problem(what, advice);
  if (folder.free_bytes < warning_below) return warning(what, advice);
  return fine(what);
}

}  // namespace

Verdicts judge_memlock(const Facts& facts) {
  // Queues and buffers of one connection take some MiB; Debian's default of 8 MiB ends NCCL with
  // "cannot allocate memory" at its first connection.
  constexpr std::uint64_t kNeeded = 64 * kMiB, kEasy = 4 * kGiB;
  const LimitFacts& limits = facts.limits;
  if (facts.rdma.empty()) return {fine("no RDMA device here needs locked memory")};
  if (limits.may_lock_all) return {fine("this user may lock all memory")};
  if (!limits.locked_bytes) return {not_known("the limit cannot be read")};
  const std::string what = fmt::format("{} of memory may be locked, and {} wants to lock buffers",
                                       size_text(*limits.locked_bytes), facts.rdma.front().device);
  const char* advice =
      "ulimit -l unlimited (limits.conf: memlock, systemd: LimitMEMLOCK=infinity, "
      "docker: --ulimit memlock=-1)";
  if (*limits.locked_bytes < kNeeded) return {problem(what, advice)};
  if (*limits.locked_bytes < kEasy) return {warning(what, advice)};
  return {fine(what)};
}

Verdicts judge_open_files(const Facts& facts) {
  constexpr std::uint64_t kLeast = 1024, kEasy = 65536;
  const LimitFacts& limits = facts.limits;
  if (!limits.open_files || !limits.open_files_max) return {not_known("the limit cannot be read")};
  const std::string what = fmt::format(
      "{} open files a rank, {} at most: enough to start {} ranks", count_text(*limits.open_files),
      count_text(*limits.open_files_max), count_text(ranks_within(*limits.open_files_max)));
  const char* advice =
      "ulimit -n 65536 (limits.conf: nofile, systemd: LimitNOFILE, docker: "
      "--ulimit nofile); data loaders and connections of many ranks take them";
  if (*limits.open_files < kLeast) return {problem(what, advice)};
  if (*limits.open_files < kEasy) return {note(what, advice)};
  return {fine(what)};
}

Verdicts judge_threads(const Facts& facts) {
  // A rank of a framework has some hundred threads: its own, the libraries' and its data loaders'.
  constexpr std::uint64_t kOfRank = 256, kFew = 512, kEasy = 4096;
  std::uint64_t left = kUnlimited;
  const LimitFacts& limits = facts.limits;
  if (!limits.threads && !facts.thread_limit) return {not_known("no limit can be read")};
  const auto take = [&](std::uint64_t limit, std::uint64_t used) {
    if (limit != kUnlimited) left = std::min(left, limit - std::min(limit, used));
  };
  if (limits.threads && !limits.any_threads) take(*limits.threads, limits.threads_used.value_or(0));
  if (facts.thread_limit) take(facts.thread_limit->limit, facts.thread_limit->used);
  if (left == kUnlimited) return {fine("no limit of threads")};
  const std::string what = fmt::format("{} more threads may be started: enough for {} ranks of {}",
                                       left, left / kOfRank, kOfRank);
  const char* advice =
      "ulimit -u unlimited (limits.conf: nproc, systemd: TasksMax, docker: "
      "--pids-limit -1)";
  if (left < kOfRank) return {problem(what, advice)};
  if (left < kFew) return {warning(what, advice)};
  return {left < kEasy ? note(what, advice) : fine(what)};
}

Verdicts judge_processors(const Facts& facts) {
  if (facts.processors <= 0) return {not_known("the processors cannot be counted")};
  const std::string of = fmt::format("{} processors", facts.processors);
  if (facts.processor_quota <= 0 || facts.processor_quota >= facts.processors) return {fine(of)};
  return {note(fmt::format("the control group allows {:.3g} of {}", facts.processor_quota, of),
               "give it more (docker: --cpus, Kubernetes: limits), or start fewer ranks and set "
               "OMP_NUM_THREADS: threads above the quota are stopped for parts of a second")};
}

Verdicts judge_shared_memory(const Facts& facts) {
  const char* bigger =
      "docker run --shm-size=16g or --ipc=host; else mount -o remount,size=16g "
      "/dev/shm, or remove what is left there";
  if (!facts.shared_memory) return {not_known("/dev/shm cannot be looked at")};
  const FolderFacts& folder = *facts.shared_memory;
  if (!folder.there) {
    return {problem("/dev/shm is not there",
                    "mount -t tmpfs tmpfs /dev/shm: NCCL and data loaders need it, Ringmaster's "
                    "own collectives do not")};
  }
  if (!folder.writable) {
    return {problem("/dev/shm cannot be written", "chmod 1777 /dev/shm, or mount it writable")};
  }
  if (!folder.in_memory) {
    return {warning("/dev/shm is not in memory", "mount -t tmpfs tmpfs /dev/shm")};
  }
  // 64 MiB is what Docker gives: enough for small tests, too little for data loaders.
  constexpr std::uint64_t kDockers = 64 * kMiB;
  if (folder.bytes < kDockers || folder.free_bytes < kDockers / 4) {
    return {of_room(folder, kUnlimited, 0, bigger)};
  }
  if (folder.bytes == kDockers) return {of_room(folder, 0, kUnlimited, bigger)};
  return {of_room(folder, 0, kGiB / 2, bigger)};
}

Verdicts judge_temporary_files(const Facts& facts) {
  if (!facts.temporary) return {not_known("the folder cannot be looked at")};
  const FolderFacts& folder = *facts.temporary;
  if (!folder.there) {
    return {problem(folder.path + " is not there", "make it, or name another folder in TMPDIR")};
  }
  if (!folder.writable) {
    return {problem(folder.path + " cannot be written",
                    "let this user write there, or name another folder in TMPDIR")};
  }
  return {of_room(folder, 16 * kMiB, kGiB, "free some, or name another folder in TMPDIR")};
}

}  // namespace ringmaster::launcher::doctor

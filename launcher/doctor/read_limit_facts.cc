// SPDX-License-Identifier: Apache-2.0
//
// Limits of this process, its user and its control group, and the room in two folders.
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>

#include "base/control_group.h"
#include "base/cpus.h"
#include "launcher/doctor/doctor_settings.h"
#include "launcher/doctor/host_text.h"
#include "launcher/doctor/read_facts.h"
#include "topology/numbers.h"
#include "topology/read/text_lines.h"

namespace ringmaster::launcher::doctor {

namespace {

std::uint64_t limit_number(rlim_t limit) {
  return limit == RLIM_INFINITY ? kUnlimited : static_cast<std::uint64_t>(limit);
}

/// Threads of this user's processes, as RLIMIT_NPROC counts them.
std::uint64_t count_threads(const std::string& root) {
  std::uint64_t threads = 0;
  const std::string user = std::to_string(::getuid());
  std::error_code code;
  for (std::filesystem::directory_iterator at(root + "/proc", code), end; !code && at != end;
       at.increment(code)) {
    const std::string name = at->path().filename();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) continue;
    const std::string status = read_small_file(at->path().string() + "/status").value_or("");
    if (value_behind(status, "Uid") != user) continue;
    const auto own = topology::parse_number(value_behind(status, "Threads"), 0, 1 << 30);
    threads += static_cast<std::uint64_t>(own.value_or(1));
  }
  return threads;
}

void read_process_limits(const std::string& root, LimitFacts& limits) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limits.open_files = limit_number(limit.rlim_cur);
    limits.open_files_max = limit_number(limit.rlim_max);
  }
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0) limits.locked_bytes = limit_number(limit.rlim_cur);
  if (::getrlimit(RLIMIT_NPROC, &limit) == 0) limits.threads = limit_number(limit.rlim_cur);
  const std::string status = read_small_file(root + "/proc/self/status").value_or("");
  const auto capabilities = topology::parse_hex(value_behind(status, "CapEff")).value_or(0);
  const std::string identity_map = read_small_file(root + "/proc/self/uid_map").value_or("");
  const std::string_view identities = topology::trim(identity_map);
  constexpr int kLockMemory = 14, kAdministrator = 21, kResources = 24;
  // In a user namespace of its own a process has all of them, and they are worth nothing outside.
  const auto users = topology::split_words(identities, 4);
  const bool of_the_host = users.size() == 3 && users[2] == "4294967295";
  const auto has = [&](int bit) { return of_the_host && (capabilities >> bit & 1) != 0; };
  limits.may_lock_all = has(kLockMemory);
  limits.any_threads = has(kAdministrator) || has(kResources);
  if (limits.threads.value_or(kUnlimited) != kUnlimited && !limits.any_threads) {
    limits.threads_used = count_threads(root);
  }
}

/// One controller's files: the tightest limit of the group and all above it.
std::optional<GroupLimit> tightest_group(const std::string& folder, std::string group,
                                         const char* limit_file, const char* used_file) {
  std::optional<GroupLimit> tightest;
  for (; !group.empty(); group = group_above(group)) {
    const std::string place = folder + (group == "/" ? "" : group) + "/";
    const auto limit = parse_group_limit(read_small_file(place + limit_file).value_or("?"));
    const auto used = parse_group_limit(read_small_file(place + used_file).value_or("?"));
    if (!limit) continue;
    if (!tightest || *limit < tightest->limit) tightest = GroupLimit{*limit, used.value_or(0)};
  }
  return tightest;
}

std::optional<GroupLimit> read_group_limit(const std::string& root, const char* controller,
                                           const char* file, const char* used, const char* file_v1,
                                           const char* used_v1) {
  const std::string groups = root + "/sys/fs/cgroup";
  auto found = tightest_group(groups, own_control_group(root, ""), file, used);
  if (found) return found;
  const std::string folder = groups + "/" + controller;
  // A container's path of version 1 is the host's and not there to see: the top counts.
  return tightest_group(folder, own_control_group(root, controller), file_v1, used_v1);
}

FolderFacts read_folder(const std::string& shown, const std::string& path) {
  constexpr unsigned kTmpfs = 0x01021994, kRamfs = 0x858458f6;
  FolderFacts folder{.path = shown};
  struct statfs facts {};
  std::error_code code;
  folder.there = std::filesystem::is_directory(path, code);
  if (!folder.there || ::statfs(path.c_str(), &facts) != 0) return folder;
  folder.writable = ::access(path.c_str(), W_OK | X_OK) == 0;
  const auto kind = static_cast<unsigned>(facts.f_type);
  folder.in_memory = kind == kTmpfs || kind == kRamfs;
  const auto block = static_cast<std::uint64_t>(facts.f_bsize);
  folder.bytes = facts.f_blocks * block;
  folder.free_bytes = facts.f_bavail * block;
  // A tmpfs without a limit of its own says 0 of 0.
  if (folder.in_memory && folder.bytes == 0) folder.bytes = folder.free_bytes = kUnlimited;
  return folder;
}

}  // namespace

void read_limit_facts(const std::string& root, Facts& facts) {
  read_process_limits(root, facts.limits);
  facts.shared_memory = read_folder("/dev/shm", root + "/dev/shm");
  const std::string temporary = read_temporary_folder();
  facts.temporary = read_folder(temporary, temporary);
  facts.memory_limit = read_group_limit(root, "memory", "memory.max", "memory.current",
                                        "memory.limit_in_bytes", "memory.usage_in_bytes");
  facts.thread_limit =
      read_group_limit(root, "pids", "pids.max", "pids.current", "pids.max", "pids.current");
  facts.processors = static_cast<int>(read_allowed_cpus().size());
  facts.processor_quota = read_cpu_quota(root);
}

}  // namespace ringmaster::launcher::doctor

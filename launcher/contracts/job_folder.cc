// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/job_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "launcher/process/descendants.h"
#include "launcher/process/guard.h"

namespace ringmaster::launcher {

namespace {

namespace fs = std::filesystem;

/// Where this user's folders may be, in the order of wish.
std::vector<std::string> homes() {
  std::vector<std::string> all = {"/dev/shm"};
  std::error_code ignored;
  const fs::path temporary = fs::temp_directory_path(ignored);
  if (!temporary.empty()) all.push_back(temporary);
  for (std::string& home : all) home += fmt::format("/ringmaster-{}", ::geteuid());
  return all;
}

/// Pids mean something in one namespace, and after one boot only; start times tell boots apart.
std::string own_namespace() {
  struct stat info = {};
  if (::stat("/proc/self/ns/pid", &info) != 0) return "0";
  return fmt::format("{}", info.st_ino);
}

std::string owner(pid_t guard) {
  return fmt::format("{}.{}.{}", own_namespace(), guard, process_start_time(guard).value_or(0));
}

/// The guard is above the launcher, and this process where there is none above it.
pid_t guard_or_self() {
  return guard_fd() >= 0 ? guard_pid() : ::getpid();
}

/// A folder of ours that nobody else can write to: in /tmp, anybody could have made the name.
Result<void> ensure_home(const std::string& home) {
  if (::mkdir(home.c_str(), 0700) != 0 && errno != EEXIST) {
    return errno_error(errno, "make the folder " + home);
  }
  struct stat info = {};
  if (::lstat(home.c_str(), &info) != 0) return errno_error(errno, "look at the folder " + home);
  const bool safe = S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
                    (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (safe) return {};
  return Error{Errc::denied, home + " is not a folder that only this user can write to: remove it"};
}

void remove_where(const std::function<bool(const std::string& owner_text)>& abandoned) {
  for (const std::string& home : homes()) {
    std::error_code code;
    std::vector<fs::path> doomed;
    for (fs::directory_iterator at(home, code), end; !code && at != end; at.increment(code)) {
      const std::string name = at->path().filename();
      if (abandoned(name.substr(0, name.rfind('-')))) doomed.push_back(at->path());
    }
    for (const fs::path& path : doomed) fs::remove_all(path, code);
    // The last one takes the home with it; others may be in it, then it stays.
    if (!doomed.empty()) ::rmdir(home.c_str());
  }
}

/// True for "NAMESPACE.PID.START" of this namespace whose process is gone.
bool is_gone(const std::string& text, const std::string& our_namespace) {
  unsigned long long space = 0, start = 0;
  int pid = 0, used = 0;
  const int found = std::sscanf(text.c_str(), "%llu.%d.%llu%n", &space, &pid, &start, &used);
  if (found != 3 || text.size() != static_cast<std::size_t>(used) || pid <= 0) return false;
  return fmt::format("{}", space) == our_namespace && process_start_time(pid) != start;
}

}  // namespace

Result<JobFolder> JobFolder::create() {
  Error last{Errc::not_found, "no folder for temporary files: set TMPDIR"};
  for (const std::string& home : homes()) {
    // A sweep may remove the empty home between the two steps: once more, then.
    for (int turn = 0; turn < 3; ++turn) {
      const auto ready = ensure_home(home);
      if (!ready) {
        last = ready.error();
        break;
      }
      std::string path = fmt::format("{}/{}-XXXXXX", home, owner(guard_or_self()));
      if (::mkdtemp(path.data()) != nullptr) return JobFolder(path);
      last = errno_error(errno, "make a folder in " + home);
      if (last.code != Errc::not_found) break;
    }
  }
  return last;
}

JobFolder::~JobFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::rmdir(path_.substr(0, path_.rfind('/')).c_str());
}

void remove_job_folders() {
  const std::string own = owner(guard_or_self());
  remove_where([&](const std::string& text) { return text == own; });
}

void sweep_job_folders() {
  const std::string our_namespace = own_namespace();
  remove_where([&](const std::string& text) { return is_gone(text, our_namespace); });
}

}  // namespace ringmaster::launcher

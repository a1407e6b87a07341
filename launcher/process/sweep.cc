// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <set>
#include <vector>

#include "launcher/process/descendants.h"
#include "launcher/process/pidfd.h"

namespace ringmaster::launcher {
namespace {

std::string read_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file.valid()) return text;
  std::array<char, 16384> buffer;
  ssize_t size = 0;
  while ((size = ::read(file.get(), buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(size));
  return text;
}

/// The tag in a block of "NAME=VALUE\0", or "".
std::string_view tag_in(std::string_view environment) {
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    const auto entry = environment.substr(0, end);
    if (entry.starts_with(kJobTagName) && entry.substr(kJobTagName.size()).starts_with('='))
      return entry.substr(kJobTagName.size() + 1);
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return {};
}

/// "pid:[4026531836]", or "" when it may not be known.
std::string pid_namespace(const std::string& process) {
  std::array<char, 64> text;
  const auto path = fmt::format("/proc/{}/ns/pid", process);
  const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

bool is_ours(pid_t pid, const std::string& our_namespace) {
  struct stat info = {};
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &info) != 0) return false;
  return info.st_uid == ::geteuid() && pid_namespace(std::to_string(pid)) == our_namespace;
}

/// This process and those above it: when a tag that is abandoned came down to us by inheritance,
/// we are what is left of that job, and do not kill ourselves.
std::set<pid_t> own_line() {
  std::set<pid_t> line;
  for (pid_t pid = ::getpid(); pid > 0 && line.insert(pid).second;) {
    const auto process = read_process(pid);
    pid = process ? process->parent : 0;
  }
  return line;
}

bool has_abandoned_tag(pid_t pid) {
  return is_abandoned(tag_in(read_file(fmt::format("/proc/{}/environ", pid))));
}

}  // namespace

std::string job_tag(pid_t guard, pid_t launcher) {
  // A guard that was killed just now is named with a start time that no process has.
  return fmt::format("{}.{}.{}.{}", guard, process_start_time(guard).value_or(0), launcher,
                     process_start_time(launcher).value_or(0));
}

bool is_abandoned(std::string_view tag) {
  std::array<std::uint64_t, 4> numbers = {};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const char* last = tag.data() + tag.size();
    const auto [end, error] = std::from_chars(tag.data(), last, numbers[i]);
    if (error != std::errc()) return false;
    const bool at_end = end == last;
    if (at_end != (i + 1 == numbers.size()) || (!at_end && *end != '.')) return false;
    if (!at_end) tag.remove_prefix(static_cast<std::size_t>(end - tag.data()) + 1);
  }
  const auto gone = [](std::uint64_t pid, std::uint64_t start) {
    return process_start_time(static_cast<pid_t>(pid)) != start;
  };
  return gone(numbers[0], numbers[1]) && gone(numbers[2], numbers[3]);
}

int sweep() {
  const std::string our_namespace = pid_namespace("self");
  if (our_namespace.empty()) return 0;
  const std::set<pid_t> spared = own_line();
  int killed = 0;
  for (const auto& process : list_processes()) {
    const pid_t pid = process.pid;
    if (spared.contains(pid) || !process.alive() || !is_ours(pid, our_namespace)) continue;
    if (!has_abandoned_tag(pid)) continue;
    // Looked at again once a pidfd holds on to it: what is signalled is what was read.
    const FileDescriptor pidfd = open_pidfd(pid);
    if (!pidfd.valid() || !has_abandoned_tag(pid)) continue;
    if (send_signal(pidfd, SIGKILL) == 0) ++killed;
  }
  return killed;
}

}  // namespace ringmaster::launcher

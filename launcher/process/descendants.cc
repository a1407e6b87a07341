// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <map>
#include <memory>
#include <set>

#include "base/check.h"
#include "launcher/process/pidfd.h"

namespace ringmaster::launcher {
namespace {

/// A round kills what it saw and waits at most this long for its end before it looks again: what
/// hangs in the kernel must not delay the killing of what was forked meanwhile.
constexpr Duration kRound = std::chrono::milliseconds(50);

/// Cuts the next field off `text` as a number.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool skip_fields(std::string_view& text, int count) {
  for (int i = 0; i < count; ++i) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == text.npos) return false;
    text.remove_prefix(std::min(text.find(' ', start), text.size()));
  }
  return true;
}

/// Sends SIGKILL to exactly this process. 0 or an errno; gone already is 0.
int kill_process(const ProcessInfo& process, FileDescriptor& pidfd) {
  pidfd = open_pidfd(process.pid);
  if (!pidfd.valid() && errno == ESRCH) return 0;
  const auto now = read_process(process.pid);
  if (!now || now->start_time != process.start_time) {
    pidfd.reset();
    return 0;
  }
  // Out of descriptors, or a sandbox without pidfds: the pid was right a moment ago.
  const int sent = pidfd.valid() ? send_signal(pidfd, SIGKILL) : ::kill(process.pid, SIGKILL);
  return sent == 0 || errno == ESRCH ? 0 : errno;
}

int to_poll_timeout(Duration duration) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<int>(std::clamp<std::int64_t>(ms, 0, 60'000));
}

/// Kills each once and waits, for a round at most, until all have ended.
void kill_round(const std::vector<ProcessInfo>& victims, Time until,
                std::map<pid_t, std::string>& refused) {
  std::vector<FileDescriptor> pidfds;
  for (const auto& victim : victims) {
    FileDescriptor pidfd;
    if (const int error = kill_process(victim, pidfd); error != 0)
      refused[victim.pid] = errno_error(error, "kill").message;
    if (pidfd.valid()) pidfds.push_back(std::move(pidfd));
  }
  until = std::min(until, read_clock() + kRound);
  for (const auto& pidfd : pidfds) {
    pollfd wait = {.fd = pidfd.get(), .events = POLLIN, .revents = 0};
    ::poll(&wait, 1, to_poll_timeout(until - read_clock()));
  }
  // Nothing to wait on (no pidfd could be had, or what ended is not reaped yet by its parent): the
  // rounds must not become a busy loop.
  if (pidfds.empty()) ::poll(nullptr, 0, 1);
}

Error survivors_error(const std::vector<ProcessInfo>& left,
                      const std::map<pid_t, std::string>& refused, Duration deadline) {
  std::string list;
  for (const auto& process : left) {
    const auto reason = refused.find(process.pid);
    list += fmt::format("{}{} ({}){}", list.empty() ? "" : ", ", process.pid, process.name,
                        reason == refused.end() ? "" : ": " + reason->second);
  }
  const auto message = fmt::format("still alive {:.1f} s after SIGKILL: {}", to_seconds(deadline),
                                   list.empty() ? "children that /proc does not show" : list);
  return {Errc::timed_out, message};
}

std::vector<ProcessInfo> alive_ones(std::vector<ProcessInfo> processes) {
  std::erase_if(processes, [](const ProcessInfo& process) { return !process.alive(); });
  return processes;
}

/// The children of all threads of this process, as the kernel lists them; none where it does not.
/// Reading every process of the machine tells the same and takes a millisecond for a hundred.
std::optional<std::vector<pid_t>> list_children() {
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir("/proc/self/task"), &::closedir);
  if (!tasks) return std::nullopt;
  std::vector<pid_t> children;
  while (const dirent* entry = ::readdir(tasks.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::string path = fmt::format("/proc/self/task/{}/children", entry->d_name);
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return std::nullopt;
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t size; (size = ::read(file.get(), part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(size));
    }
    std::string_view rest = text;
    for (pid_t pid; take_number(rest, pid);) children.push_back(pid);
  }
  return children;
}

/// Whether all children are among those that are kept. The kernel's list may leave one out while
/// others end, so it is asked twice.
bool only_kept_children(const std::vector<pid_t>& keep) {
  for (int look = 0; look < 2; ++look) {
    const auto children = list_children();
    if (!children) return false;
    for (const pid_t child : *children) {
      if (std::find(keep.begin(), keep.end(), child) == keep.end()) return false;
    }
  }
  return true;
}

/// Reaps the ended children that are not kept. True when wait says that there is no child at all.
bool reap(const std::vector<ProcessInfo>& below, bool keeps_some) {
  if (!keeps_some) {
    for (;;) {
      const pid_t pid = ::waitpid(-1, nullptr, WNOHANG | __WALL);
      if (pid < 0 && errno == ECHILD) return true;
      if (pid <= 0 && !(pid < 0 && errno == EINTR)) return false;
    }
  }
  for (const auto& process : below)
    if (process.parent == ::getpid()) ::waitpid(process.pid, nullptr, WNOHANG | __WALL);
  return false;
}

}  // namespace

std::optional<ProcessInfo> parse_process_stat(std::string_view text) {
  ProcessInfo process;
  if (!take_number(text, process.pid)) return std::nullopt;
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');  // the name may hold any byte, the rest no ')'
  if (open == text.npos || close == text.npos || close < open) return std::nullopt;
  process.name = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  if (text.size() < 2 || text[0] != ' ') return std::nullopt;
  process.state = text[1];
  text.remove_prefix(2);
  // Fields by the numbers of proc(5): 4 parent, 6 session, 20 threads, 22 start time.
  const bool complete = take_number(text, process.parent) && skip_fields(text, 1) &&
                        take_number(text, process.session) && skip_fields(text, 13) &&
                        take_number(text, process.threads) && skip_fields(text, 1) &&
                        take_number(text, process.start_time);
  if (!complete) return std::nullopt;
  return process;
}

std::optional<ProcessInfo> read_process(pid_t pid) {
  std::array<char, 32> path = {};
  *fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", pid).out = '\0';
  const FileDescriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::array<char, 2048> text;  // 52 numbers and a name: below 1200 bytes
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size <= 0) return std::nullopt;
  return parse_process_stat({text.data(), static_cast<std::size_t>(size)});
}

std::vector<ProcessInfo> list_processes() {
  std::vector<ProcessInfo> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), &::closedir);
  if (!directory) return processes;
  while (const dirent* entry = ::readdir(directory.get())) {
    std::string_view name = entry->d_name;
    pid_t pid = 0;
    if (name.front() < '1' || name.front() > '9' || !take_number(name, pid)) continue;
    if (auto process = read_process(pid)) processes.push_back(std::move(*process));
  }
  return processes;
}

std::optional<std::uint64_t> process_start_time(pid_t pid) {
  const auto process = read_process(pid);
  if (!process || !process->alive()) return std::nullopt;
  return process->start_time;
}

std::vector<ProcessInfo> descendants_of(pid_t root, const std::vector<ProcessInfo>& all,
                                        const std::vector<pid_t>& keep) {
  std::multimap<pid_t, const ProcessInfo*> children;
  for (const auto& process : all) children.emplace(process.parent, &process);
  // /proc is read while it changes: with pids used anew, parents may even form a circle.
  std::set<pid_t> seen(keep.begin(), keep.end());
  seen.insert(root);
  std::vector<ProcessInfo> found;
  std::vector<pid_t> open = {root};
  while (!open.empty()) {
    const auto [first, last] = children.equal_range(open.back());
    open.pop_back();
    for (auto child = first; child != last; ++child) {
      if (!seen.insert(child->second->pid).second) continue;
      found.push_back(*child->second);
      open.push_back(child->second->pid);
    }
  }
  return found;
}

Result<void> kill_descendants(pid_t root, Duration deadline) {
  const Time end = read_clock() + deadline;
  std::map<pid_t, std::string> refused;
  for (;;) {
    const auto left = alive_ones(descendants_of(root, list_processes()));
    if (left.empty()) return {};
    if (read_clock() >= end) return survivors_error(left, refused, deadline);
    kill_round(left, end, refused);
  }
}

Result<void> kill_all_children(Duration deadline, const std::vector<pid_t>& keep) {
  // Mostly there is nothing to do, and reading /proc takes a millisecond for a hundred processes.
  if (keep.empty() ? reap({}, false) : only_kept_children(keep)) return {};
  const Time end = read_clock() + deadline;
  std::map<pid_t, std::string> refused;
  // Without ECHILD the proof is weaker: a child that was forked with a lower pid while /proc was
  // read may be missed once, so nothing must be seen twice.
  int seen_nothing = 0;
  for (;;) {
    const auto below = descendants_of(::getpid(), list_processes(), keep);
    if (reap(below, !keep.empty())) return {};
    seen_nothing = below.empty() ? seen_nothing + 1 : 0;
    if (seen_nothing == 2 && !keep.empty()) return {};
    const auto left = alive_ones(below);
    if (read_clock() >= end) return survivors_error(left, refused, deadline);
    kill_round(left, end, refused);
  }
}

void become_subreaper() {
  CHECK_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
}

}  // namespace ringmaster::launcher

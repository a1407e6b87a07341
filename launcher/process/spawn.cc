// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/check.h"
#include "launcher/process/exec_child.h"
#include "launcher/process/exec_error.h"
#include "launcher/process/pidfd.h"

namespace ringmaster::launcher {
namespace {

/// Where execvp looks when there is no PATH.
constexpr std::string_view kDefaultPath = "/bin:/usr/bin";

std::string_view path_of(const std::vector<std::string>& environment) {
  constexpr std::string_view name = "PATH=";
  for (const auto& entry : environment)
    if (entry.starts_with(name)) return std::string_view(entry).substr(name.size());
  return kDefaultPath;
}

/// The files that the command may mean, in the order to try. An empty entry of PATH is here.
std::vector<std::string> candidates_of(const std::string& program, std::string_view path) {
  if (program.empty() || program.find('/') != program.npos) return {program};
  std::vector<std::string> candidates;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const auto folder = path.substr(start, end - start);
    candidates.push_back(fmt::format("{}/{}", folder.empty() ? "." : folder, program));
    start = end + 1;
  }
  return candidates;
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const auto& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// The ranges of descriptors between those that are kept.
std::vector<ClosedRange> ranges_to_close(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  std::vector<ClosedRange> ranges;
  unsigned first = 3;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (first < number) ranges.push_back({first, number - 1});
    first = number + 1;
  }
  ranges.push_back({first, ~0U});
  return ranges;
}

Result<CpuSet> make_cpu_set(const std::vector<int>& cpus) {
  CpuSet set;
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= kCpusMax)
      return Error{Errc::invalid, fmt::format("cpu {}: no such cpu", cpu)};
    set.resize(std::max(set.size(), static_cast<std::size_t>(cpu) / kCpuWordBits + 1));
    set[static_cast<std::size_t>(cpu) / kCpuWordBits] |= 1UL << (cpu % kCpuWordBits);
  }
  return set;
}

Error stage_error(const SpawnSpec& spec, const ExecFailure& failure) {
  const std::string& program = spec.command.front();
  switch (failure.stage) {
    case ExecStage::descriptors:
      return errno_error(failure.error, program + ": passing descriptors on");
    case ExecStage::directory: {
      // Not not_found: the program is not what is missing.
      const auto text = fmt::format("{}: working directory {}: {}", program, spec.working_directory,
                                    std::strerror(failure.error));
      return {failure.error == ENOENT ? Errc::invalid : Errc::denied, text};
    }
    case ExecStage::affinity:
      return errno_error(failure.error, fmt::format("{}: binding to cpus {}", program,
                                                    fmt::join(*spec.cpus, ",")));
    case ExecStage::open_files:
      return errno_error(failure.error, fmt::format("{}: setting the limit of open files to {}",
                                                    program, *spec.open_files));
    case ExecStage::exec:
      break;
  }
  const auto candidates = candidates_of(program, path_of(spec.environment));
  return exec_error(program, candidates, static_cast<std::size_t>(failure.candidate), failure.error,
                    spec.working_directory);
}

/// Waits for the exec: an EOF when it succeeded (the pipe is close-on-exec), else what failed.
std::optional<ExecFailure> read_failure(int pipe) {
  ExecFailure failure = {};
  ssize_t size = 0;
  do {
    size = ::read(pipe, &failure, sizeof failure);
  } while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(sizeof failure)) return std::nullopt;
  return failure;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/// A sanitizer follows no second stack within a thread.
pid_t make_child(const ExecPlan& plan) {
  const pid_t pid = ::fork();
  if (pid == 0) exec_child(plan);
  return pid;
}
#else
int be_the_child(void* plan) {
  exec_child(*static_cast<const ExecPlan*>(plan));
}

/// In our own memory until its exec, while we wait: copying the tables of a launcher that holds
/// hundreds of ranks, and every page that either writes next, took more than the exec itself. The
/// child has a stack of its own, and writes to nothing else of ours.
pid_t make_child(const ExecPlan& plan) {
  alignas(64) std::array<char, 64 * 1024> stack;
  return ::clone(be_the_child, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD,
                 const_cast<ExecPlan*>(&plan));
}
#endif

/// With all signals blocked, so that no handler of ours ever runs in the child.
pid_t fork_quietly(const ExecPlan& plan) {
  sigset_t all, before;
  ::sigfillset(&all);
  CHECK_EQ(::pthread_sigmask(SIG_SETMASK, &all, &before), 0);
  const pid_t pid = make_child(plan);
  const int error = errno;
  CHECK_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  errno = error;
  return pid;
}

Result<Child> start(const SpawnSpec& spec, const ExecPlan& plan, FileDescriptor& report,
                    int failures) {
  const pid_t pid = fork_quietly(plan);
  if (pid < 0) return errno_error(errno, spec.command.front() + ": fork");
  report.reset();
  Child child{pid, open_pidfd(pid)};
  const int error = errno;
  if (!child.pidfd.valid()) ::kill(pid, SIGKILL);
  const auto failure = read_failure(failures);
  if (child.pidfd.valid() && !failure) return child;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!child.pidfd.valid()) return errno_error(error, spec.command.front() + ": pidfd_open");
  return stage_error(spec, *failure);
}

}  // namespace

Result<Child> spawn(const SpawnSpec& spec) {
  CHECK(!spec.command.empty());
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, spec.command.front() + ": pipe");
  const FileDescriptor failures(ends[0]);
  FileDescriptor report(ends[1]);
  // Above 0 to 2, which the child overwrites: they are free when we were started without them.
  if (report.get() < 3) report.reset(::fcntl(report.get(), F_DUPFD_CLOEXEC, 3));
  if (!report.valid()) return errno_error(errno, spec.command.front() + ": pipe");

  std::vector<int> kept = spec.inherited_fds;
  for (const int fd : kept) {
    CHECK_LE(3, fd);
    if (::fcntl(fd, F_GETFD) < 0) return errno_error(errno, fmt::format("inheriting {}", fd));
  }
  kept.push_back(report.get());
  auto cpus = make_cpu_set(spec.cpus.value_or(std::vector<int>{}));
  if (!cpus) return cpus.error();
  const auto candidates = candidates_of(spec.command.front(), path_of(spec.environment));
  const ExecPlan plan = {
      .candidates = pointers_to(candidates),
      .arguments = pointers_to(spec.command),
      .environment = pointers_to(spec.environment),
      .standard = {spec.fds.input, spec.fds.output, spec.fds.error},
      .inherited = spec.inherited_fds,
      .closed = ranges_to_close(std::move(kept)),
      .directory = spec.working_directory.empty() ? nullptr : spec.working_directory.c_str(),
      .open_files = spec.open_files,
      .cpus = std::move(*cpus),
      .report = report.get(),
      .parent = ::getpid(),
  };
  return start(spec, plan, report, failures.get());
}

int exit_code_of(const Error& error) {
  return error.code == Errc::not_found ? 127 : 126;
}

}  // namespace ringmaster::launcher

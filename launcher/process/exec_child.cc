// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/exec_child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace ringmaster::launcher {
namespace {

/// Where close_range is missing (a sandbox), closing one by one stops here: our own descriptors
/// are close-on-exec anyway, and what we inherited has low numbers.
constexpr unsigned kCloseMax = 4096;

[[noreturn]] void fail(const ExecPlan& plan, ExecStage stage, int candidate = 0) {
  const ExecFailure failure = {stage, errno, candidate};
  [[maybe_unused]] const ssize_t written = ::write(plan.report, &failure, sizeof failure);
  ::_exit(127);
}

void die_with_the_parent(const ExecPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::getppid() != plan.parent) ::_exit(127);  // it died before the line above
}

void reset_signals() {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
}

/// The sources may themselves be 0 to 2, in any order: all are moved out of the way first.
void place_standard_fds(const ExecPlan& plan) {
  int moved[3] = {-1, -1, -1};
  for (int i = 0; i < 3; ++i) {
    const int source = plan.standard[static_cast<std::size_t>(i)];
    const int fd = source >= 0 ? source : ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd >= 0) moved[i] = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (moved[i] < 0) fail(plan, ExecStage::descriptors);
  }
  for (int i = 0; i < 3; ++i)
    if (::dup2(moved[i], i) < 0) fail(plan, ExecStage::descriptors);
}

void close_others(const ExecPlan& plan) {
  for (const auto& range : plan.closed) {
    if (::syscall(SYS_close_range, range.first, range.last, 0) == 0) continue;
    for (unsigned fd = range.first; fd <= std::min(range.last, kCloseMax); ++fd)
      ::close(static_cast<int>(fd));
  }
  for (const int fd : plan.inherited)
    if (::fcntl(fd, F_SETFD, 0) < 0) fail(plan, ExecStage::descriptors);
}

void set_limits(const ExecPlan& plan) {
  if (!plan.cpus.empty()) {
    const std::size_t bytes = plan.cpus.size() * sizeof plan.cpus.front();
    if (::syscall(SYS_sched_setaffinity, 0, bytes, plan.cpus.data()) < 0)
      fail(plan, ExecStage::affinity);
  }
  if (plan.open_files) {
    rlimit limit = {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) fail(plan, ExecStage::open_files);
    limit.rlim_cur = std::min<rlim_t>(*plan.open_files, limit.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) fail(plan, ExecStage::open_files);
  }
}

/// As execvp goes along PATH: what is not there is passed over, what may not be run is remembered.
[[noreturn]] void exec_first(const ExecPlan& plan) {
  int denied = -1;
  for (int i = 0; plan.candidates[static_cast<std::size_t>(i)] != nullptr; ++i) {
    ::execve(plan.candidates[static_cast<std::size_t>(i)], plan.arguments.data(),
             plan.environment.data());
    if (errno == EACCES && denied < 0) denied = i;
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) fail(plan, ExecStage::exec, i);
  }
  errno = denied >= 0 ? EACCES : ENOENT;
  fail(plan, ExecStage::exec, std::max(denied, 0));
}

}  // namespace

void exec_child(const ExecPlan& plan) {
  die_with_the_parent(plan);
  ::setsid();
  reset_signals();
  place_standard_fds(plan);
  close_others(plan);
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) fail(plan, ExecStage::directory);
  set_limits(plan);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  exec_first(plan);
}

}  // namespace ringmaster::launcher

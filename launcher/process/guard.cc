// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/guard.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/file_descriptor.h"
#include "launcher/process/descendants.h"
#include "launcher/process/exit_status.h"

namespace ringmaster::launcher {
namespace {

/// What a shell says when it cannot start a program.
constexpr int kCannotStart = 126;

// Facts about the process itself, like its pid: there is one of each, set before any thread.
int guard_fd_here = -1;
pid_t guard_pid_here = 0;
bool hangup_ignored_here = false;

bool is_ignored(int signal_number) {
  struct sigaction action = {};
  CHECK_EQ(::sigaction(signal_number, nullptr, &action), 0);
  return action.sa_handler == SIG_IGN;
}

/// What the guard hears of. A blocked signal waits for sigwaitinfo even when it is ignored, which
/// is why an ignored SIGHUP is left out.
sigset_t watched_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number :
       {SIGCHLD, SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGCONT, SIGPIPE})
    ::sigaddset(&set, number);
  if (!hangup_ignored_here) ::sigaddset(&set, SIGHUP);
  return set;
}

/// Stops as the launcher was stopped, so that the shell sees its job stop; returns when continued.
void stop_like_the_launcher(int signal_number) {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal_number);
  ::kill(::getpid(), signal_number);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::sigprocmask(SIG_BLOCK, &one, nullptr);
}

/// The launcher's end, when it has come. Orphans that came up to the guard are reaped on the way.
std::optional<jobs::ExitStatus> reap(pid_t launcher) {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL)) > 0) {
    if (pid != launcher) continue;
    if (!WIFSTOPPED(status)) return exit_status_of(status);
    // A SIGSTOP was meant for the launcher alone; job control is meant for the whole job.
    const int reason = WSTOPSIG(status);
    if (reason == SIGTSTP || reason == SIGTTIN || reason == SIGTTOU) stop_like_the_launcher(reason);
  }
  return std::nullopt;
}

jobs::ExitStatus watch(pid_t launcher, const sigset_t& signals) {
  for (;;) {
    siginfo_t info = {};
    const int number = ::sigwaitinfo(&signals, &info);
    if (number == SIGCHLD) {
      if (const auto end = reap(launcher)) return *end;
    } else if (number > 0 && number != SIGPIPE) {
      // Codes above 0 are the kernel's: the terminal signals the whole group itself.
      const bool from_a_process = info.si_code <= 0;
      if (from_a_process && info.si_pid != launcher) ::kill(launcher, number);
    }
  }
}

[[noreturn]] void be_the_launcher(const std::function<int()>& body, FileDescriptor guard,
                                  const sigset_t& mask) {
  guard_fd_here = guard.release();
  become_subreaper();
  CHECK_EQ(::sigprocmask(SIG_SETMASK, &mask, nullptr), 0);
  const int code = body();
  std::fflush(nullptr);
  ::_exit(code);  // what is registered with atexit runs once, in the guard
}

int be_the_guard(pid_t launcher, const sigset_t& signals) {
  ::prctl(PR_SET_NAME, "ring-guard", 0, 0, 0);
  const jobs::ExitStatus end = watch(launcher, signals);
  if (const auto cleared = kill_all_children(); !cleared) {
    std::fprintf(stderr, "%s: clearing up: %s\n", program_invocation_short_name,
                 cleared.error().message.c_str());
  }
  return end.outward();
}

}  // namespace

int run_guarded(const std::function<int()>& body) {
  CHECK_EQ(guard_fd_here, -1);
  std::fflush(nullptr);  // or both processes would write what is buffered
  hangup_ignored_here = is_ignored(SIGHUP);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;  // an ignored SIGCHLD would reap before us
  CHECK_EQ(::sigaction(SIGCHLD, &standard, nullptr), 0);
  const sigset_t signals = watched_signals();
  sigset_t before;
  CHECK_EQ(::sigprocmask(SIG_BLOCK, &signals, &before), 0);
  become_subreaper();

  int ends[2] = {-1, -1};
  const bool piped = ::pipe2(ends, O_CLOEXEC) == 0;
  FileDescriptor launcher_end(ends[0]);
  FileDescriptor guard_end(ends[1]);  // closed by the kernel when the guard is gone
  guard_pid_here = ::getpid();
  const pid_t launcher = piped ? ::fork() : -1;
  if (launcher < 0) {
    std::perror(piped ? "fork" : "pipe");
    return kCannotStart;
  }
  if (launcher == 0) {
    guard_end.reset();
    be_the_launcher(body, std::move(launcher_end), before);
  }
  launcher_end.reset();
  return be_the_guard(launcher, signals);
}

int guard_fd() {
  return guard_fd_here;
}
pid_t guard_pid() {
  return guard_pid_here;
}
bool hangup_is_ignored() {
  return hangup_ignored_here;
}

}  // namespace ringmaster::launcher

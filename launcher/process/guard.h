// SPDX-License-Identifier: Apache-2.0
//
// Two processes watch over each other, so that SIGKILL of either leaves nothing behind.
//
// The process that the user started becomes the guard: it forks the launcher proper, then only
// waits. When the launcher has ended, however it did, the guard kills and reaps whatever is left of
// the tree and returns the launcher's exit code. When the guard is gone, the launcher's `guard_fd`
// reports EOF and the launcher kills its tree. The guard is above and not beside the launcher
// because orphans move up to a subreaper, never sideways, and because the shell then waits for the
// one that goes last. The launcher has no PDEATHSIG: it must outlive the guard to clear up.
//
// Signals: the launcher is in the same process group, so what the terminal sends reaches it by
// itself. What kill(2) sends to the guard alone is forwarded. One `kill` may so arrive twice (the
// group and the guard): SignalFilter (signal_filter.h) drops the echo. When the launcher stops
// itself by SIGTSTP, the guard stops too, so that the shell sees it; a SIGSTOP pauses only the one
// that it was sent to.
#pragma once

#include <sys/types.h>

#include <functional>

namespace ringmaster::launcher {

/// Forks; `body` runs in the child with the signal mask and dispositions that this process had
/// (SIGCHLD: default), as a subreaper. Returns in the guard only: body's result, or 128 + n when
/// the child was killed by a signal. Call it before any thread is started. `beside` runs in the
/// guard meanwhile; signals wait until it is done.
int run_guarded(const std::function<int()>& body, const std::function<void()>& beside = {});

/// In the body: readable (EOF) as soon as the guard is gone. -1 outside of run_guarded.
int guard_fd();

/// In the body: the guard's pid. 0 outside of run_guarded.
pid_t guard_pid();

/// True when SIGHUP was ignored when the program began (nohup): then it stays ignored.
bool hangup_is_ignored();

}  // namespace ringmaster::launcher

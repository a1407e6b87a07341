// SPDX-License-Identifier: Apache-2.0
//
// The pidfd system calls, by number: C libraries older than 2.36 have no names for them. A pidfd
// refers to one process for ever, where a pid may have been given to another one.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/file_descriptor.h"

namespace ringmaster::launcher {

/// Close-on-exec. Not valid (and errno set) when there is no such process.
inline FileDescriptor open_pidfd(pid_t pid) {
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// 0, or -1 with errno set, as kill.
inline int send_signal(const FileDescriptor& pidfd, int signal_number) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd.get(), signal_number, nullptr, 0));
}

}  // namespace ringmaster::launcher

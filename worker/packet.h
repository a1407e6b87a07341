// SPDX-License-Identifier: Apache-2.0
//
// A packet on a local socket, with at most one descriptor: the two system calls that the rank's
// and the agent's end have in common.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/file_descriptor.h"

namespace ringmaster::worker {

/// As ::send: the number of bytes, or -1 with errno. `fd` -1: none goes along.
std::ptrdiff_t send_packet(int socket, std::string_view bytes, int fd, int flags);
/// As ::recv. What came along is in `fd`, close-on-exec.
std::ptrdiff_t receive_packet(int socket, char* into, std::size_t most, FileDescriptor& fd,
                              int flags);

}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
#include "launcher/master_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

namespace ringmaster::launcher {

Result<MasterPort> MasterPort::bind() {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno_error(errno, "open a socket for MASTER_PORT");
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);  // rank 0 may listen on any of the host's
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket.get(), generic, length) != 0 ||
      getsockname(socket.get(), generic, &length) != 0) {
    return errno_error(errno, "bind a port for MASTER_PORT");
  }
  return MasterPort(std::move(socket), ntohs(address.sin_port));
}

}  // namespace ringmaster::launcher

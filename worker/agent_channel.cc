// SPDX-License-Identifier: Apache-2.0
#include "worker/agent_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "worker/packet.h"

namespace ringmaster::worker {

Result<AgentChannel> AgentChannel::adopt(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_SEQPACKET) {
    return Error{Errc::invalid, fmt::format("descriptor {} is no socket of an agent", fd)};
  }
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    return errno_error(errno, fmt::format("descriptor {}", fd));
  }
  return AgentChannel(FileDescriptor(fd));
}

Result<void> AgentChannel::send(const Message& message, int fd) {
  const std::string packet = encode(message);
  for (;;) {
    if (send_packet(socket_.get(), packet, fd, MSG_NOSIGNAL) >= 0) return {};
    if (errno != EINTR) return errno_error(errno, "send to the agent");
  }
}

Result<AgentChannel::Received> AgentChannel::receive() {
  std::array<char, kPacketMax> packet;
  for (;;) {
    FileDescriptor fd;
    const auto size = receive_packet(socket_.get(), packet.data(), packet.size(), fd, 0);
    if (size > 0) {
      auto message = decode({packet.data(), static_cast<std::size_t>(size)});
      if (!message) return message.error();
      return Received{std::move(*message), std::move(fd)};
    }
    if (size == 0) return Error{Errc::closed, "the launcher is gone"};
    if (errno == ECONNRESET) return Error{Errc::closed, "the launcher is gone"};
    if (errno != EINTR) return errno_error(errno, "receive from the agent");
  }
}

}  // namespace ringmaster::worker

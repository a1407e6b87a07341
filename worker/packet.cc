// SPDX-License-Identifier: Apache-2.0
#include "worker/packet.h"

#include <sys/socket.h>

#include <cstring>

namespace ringmaster::worker {

namespace {

union Control {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr aligned;
};

}  // namespace

std::ptrdiff_t send_packet(int socket, std::string_view bytes, int fd, int flags) {
  iovec piece = {const_cast<char*>(bytes.data()), bytes.size()};
  msghdr packet = {};
  packet.msg_iov = &piece;
  packet.msg_iovlen = 1;
  Control control = {};
  if (fd >= 0) {
    packet.msg_control = control.bytes;
    packet.msg_controllen = sizeof control.bytes;
    cmsghdr* head = CMSG_FIRSTHDR(&packet);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  }
  return ::sendmsg(socket, &packet, flags);
}

std::ptrdiff_t receive_packet(int socket, char* into, std::size_t most, FileDescriptor& fd,
                              int flags) {
  iovec piece = {into, most};
  msghdr packet = {};
  Control control = {};
  packet.msg_iov = &piece;
  packet.msg_iovlen = 1;
  packet.msg_control = control.bytes;
  packet.msg_controllen = sizeof control.bytes;
  const ssize_t size = ::recvmsg(socket, &packet, flags | MSG_CMSG_CLOEXEC);
  fd.reset();
  if (size < 0) return size;
  const cmsghdr* head = CMSG_FIRSTHDR(&packet);
  const bool carries = head != nullptr && head->cmsg_level == SOL_SOCKET &&
                       head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int));
  if (carries) {
    int received = -1;
    std::memcpy(&received, CMSG_DATA(head), sizeof received);
    fd.reset(received);
  }
  return size;
}

}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/link.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace ringmaster::collectives {

namespace {

/// What a failed send or receive means. Whatever the system says (reset, no route, timed out): the
/// peer cannot be reached on this connection any more.
Io failed_io() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Io::blocked : Io::gone;
}

}  // namespace

void Link::start(const Frame& frame, const std::byte* payload) {
  CHECK(!sending());
  CHECK(payload != nullptr || frame.bytes == 0);
  header_ = encode_frame(frame);
  payload_ = payload;
  payload_bytes_ = frame.bytes;
  sent_ = 0;
}

Io Link::push() {
  bool moved = false;
  while (sending()) {
    std::array<iovec, 2> parts{};
    std::size_t count = 0;
    if (sent_ < kFrameBytes) parts[count++] = {header_.data() + sent_, kFrameBytes - sent_};
    const std::size_t paid = sent_ < kFrameBytes ? 0 : sent_ - kFrameBytes;
    if (paid < payload_bytes_) {
      // sendmsg() does not write to it; iovec knows no const.
      parts[count++] = {const_cast<std::byte*>(payload_) + paid, payload_bytes_ - paid};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t bytes = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL);
    if (bytes < 0) {
      const Io io = failed_io();
      return io == Io::blocked && moved ? Io::some : io;
    }
    sent_ += static_cast<std::size_t>(bytes);
    moved = true;
  }
  return Io::done;
}

Io Link::pull_header() {
  if (frame_) return Io::done;
  if (ahead_end_ - ahead_begin_ < kFrameBytes) {
    std::copy(ahead_.data() + ahead_begin_, ahead_.data() + ahead_end_, ahead_.data());
    ahead_end_ -= std::exchange(ahead_begin_, 0);
    const ssize_t bytes =
        ::recv(fd_.get(), ahead_.data() + ahead_end_, ahead_.size() - ahead_end_, 0);
    if (bytes == 0) return Io::gone;
    if (bytes < 0) return failed_io();
    ahead_end_ += static_cast<std::size_t>(bytes);
    if (ahead_end_ < kFrameBytes) return Io::some;
  }
  frame_ = decode_frame(
      std::span<const std::byte, kFrameBytes>(ahead_.data() + ahead_begin_, kFrameBytes));
  if (!frame_) return Io::damaged;
  ahead_begin_ += kFrameBytes;
  received_ = 0;
  return Io::done;
}

Io Link::receive(std::byte* to, std::size_t bytes) {
  // What follows the payload comes along: usually the next header.
  std::array<iovec, 2> parts = {iovec{to, bytes}, iovec{ahead_.data(), ahead_.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t result = ::recvmsg(fd_.get(), &message, 0);
  if (result == 0) return Io::gone;
  if (result < 0) return failed_io();
  const auto got = static_cast<std::size_t>(result);
  received_ += std::min(got, bytes);
  ahead_begin_ = 0;
  ahead_end_ = got - std::min(got, bytes);
  return Io::some;
}

Io Link::pull_payload(std::byte* to) {
  CHECK(frame_.has_value());
  bool moved = false;
  std::array<std::byte, 16384> nowhere;
  while (received_ < frame_->bytes) {
    const std::size_t left = frame_->bytes - received_;
    const std::size_t here = std::min(left, ahead_end_ - ahead_begin_);
    if (here > 0) {
      if (to != nullptr) std::memcpy(to + received_, ahead_.data() + ahead_begin_, here);
      ahead_begin_ += here;
      received_ += here;
    } else {
      const Io io = to != nullptr ? receive(to + received_, left)
                                  : receive(nowhere.data(), std::min(left, nowhere.size()));
      if (io != Io::some) return io == Io::blocked && moved ? Io::some : io;
    }
    moved = true;
  }
  frame_.reset();
  return Io::done;
}

bool Link::settles() {
  std::array<std::byte, 16384> nowhere;
  // Bounded: a peer that goes on sending does not keep us.
  for (int reads = 0; reads < 64; ++reads) {
    const ssize_t got = ::recv(fd_.get(), nowhere.data(), nowhere.size(), 0);
    if (got == 0 || (got < 0 && failed_io() == Io::gone))
      return false;  // it needs nothing any more
    if (got < 0) break;
  }
  int bytes = 0;
  return ::ioctl(fd_.get(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

}  // namespace ringmaster::collectives

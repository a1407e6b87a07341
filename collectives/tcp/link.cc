// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/link.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace ringmaster::collectives {

// Whatever the system says (reset, no route, timed out): the peer cannot be reached on this
// connection any more.
Io Link::failed(ssize_t result) {
  if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return Io::blocked;
  broken_ = true;
  return Io::gone;
}

std::size_t Link::unsent() const {
  int bytes = 0;
  // A socket that cannot say it is no good.
  if (ioctl(fd_.get(), SIOCOUTQ, &bytes) != 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(bytes);
}

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
      const Io io = failed(bytes);
      return io == Io::blocked && moved ? Io::some : io;
    }
    sent_ += static_cast<std::size_t>(bytes);
    moved = true;
  }
  return Io::done;
}

Io Link::pull_header(std::size_t likely) {
  if (frame_) return Io::done;
  if (ahead_end_ - ahead_begin_ < kFrameBytes) {
    std::copy(ahead_.data() + ahead_begin_, ahead_.data() + ahead_end_, ahead_.data());
    ahead_end_ -= std::exchange(ahead_begin_, 0);
    const std::size_t most =
        likely + 2 * kFrameBytes <= ahead_.size() ? ahead_.size() : kAheadOfLarge;
    const ssize_t bytes = ::recv(fd_.get(), ahead_.data() + ahead_end_, most - ahead_end_, 0);
    if (bytes <= 0) return failed(bytes);
    ahead_end_ += static_cast<std::size_t>(bytes);
    if (ahead_end_ < kFrameBytes) return Io::some;
  }
  frame_ = decode_frame(
      std::span<const std::byte, kFrameBytes>(ahead_.data() + ahead_begin_, kFrameBytes));
  if (!frame_) {
    broken_ = true;
    return Io::damaged;
  }
  ahead_begin_ += kFrameBytes;
  received_ = 0;
  return Io::done;
}

Io Link::receive(std::byte* to, std::size_t bytes) {
  // What follows the payload comes along: usually the next header.
  std::array<iovec, 2> parts = {iovec{to, bytes}, iovec{ahead_.data(), kAheadOfLarge}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t result = ::recvmsg(fd_.get(), &message, 0);
  if (result <= 0) return failed(result);
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

bool Link::settled() const {
  pollfd state{fd_.get(), POLLRDHUP, 0};
  // A peer that has left wants nothing.
  return broken_ || ::poll(&state, 1, 0) != 0 || unsent() == 0;
}

}  // namespace ringmaster::collectives

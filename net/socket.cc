// SPDX-License-Identifier: Apache-2.0
#include "net/socket.h"

#include <fmt/format.h>
#include <zmq.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "base/check.h"

namespace ringmaster::net {

namespace {

constexpr std::size_t kPartsMax = 8;
/// A peer that never stops must not keep timers and other sockets waiting.
constexpr int kReadsInARow = 64;

Error zmq_failure(const std::string& what) {
  return {Errc::io, fmt::format("{}: {}", what, zmq_strerror(zmq_errno()))};
}

}  // namespace

/// Shared, so that a handler that waits in the loop can tell that its owner is gone.
struct Socket::Watch {
  explicit Watch(boost::asio::io_context& given) : loop(given), descriptor(given) {}
  boost::asio::io_context& loop;
  boost::asio::posix::stream_descriptor descriptor;
  bool again = false;  // a look at the socket is posted
};

Result<std::unique_ptr<Socket>> Socket::open(boost::asio::io_context& loop, void* context, int type,
                                             OnMessage on_message) {
  void* handle = zmq_socket(context, type);
  if (handle == nullptr) return zmq_failure("open a socket");
  std::unique_ptr<Socket> socket(new Socket(loop, handle, std::move(on_message)));
  const std::int64_t longest = kMessageMax;
  CHECK_EQ(zmq_setsockopt(handle, ZMQ_MAXMSGSIZE, &longest, sizeof longest), 0);
  for (const int option : {ZMQ_SNDHWM, ZMQ_RCVHWM}) {
    if (auto set = socket->set(option, kQueueMax); !set) return set.error();
  }
  if (auto set = socket->set(ZMQ_LINGER, 0); !set) return set.error();
  int fd = -1;
  std::size_t size = sizeof fd;
  if (zmq_getsockopt(handle, ZMQ_FD, &fd, &size) != 0) return zmq_failure("open a socket");
  socket->watch_->descriptor.assign(fd);
  socket->wait();
  return socket;
}

Socket::Socket(boost::asio::io_context& loop, void* handle, OnMessage on_message)
    : handle_(handle), on_message_(std::move(on_message)), watch_(std::make_shared<Watch>(loop)) {}

Socket::~Socket() {
  if (watch_->descriptor.is_open()) watch_->descriptor.release();  // it is ZeroMQ's
  zmq_close(handle_);
}

Result<void> Socket::set(int option, std::string_view value) {
  if (zmq_setsockopt(handle_, option, value.data(), value.size()) == 0) return {};
  return zmq_failure("set up a socket");
}

Result<void> Socket::set(int option, int value) {
  if (zmq_setsockopt(handle_, option, &value, sizeof value) == 0) return {};
  return zmq_failure("set up a socket");
}

void Socket::wait() {
  watch_->descriptor.async_wait(
      boost::asio::posix::stream_descriptor::wait_read,
      [this, weak = std::weak_ptr<Watch>(watch_)](const boost::system::error_code& code) {
        if (weak.expired() || code) return;
        read_many();
        wait();
      });
}

void Socket::read_many() {
  int reads = 0;
  while (reads < kReadsInARow && read_one()) ++reads;
  if (reads == kReadsInARow) look_again();
}

void Socket::look_again() {
  if (watch_->again) return;
  watch_->again = true;
  boost::asio::post(watch_->loop, [this, weak = std::weak_ptr<Watch>(watch_)] {
    const auto alive = weak.lock();
    if (!alive) return;
    alive->again = false;
    read_many();
  });
}

bool Socket::read_one() {
  Parts parts;
  std::string user;
  int more = 1;
  while (more != 0) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    if (zmq_msg_recv(&message, handle_, ZMQ_DONTWAIT) < 0) {
      zmq_msg_close(&message);
      return false;
    }
    if (parts.size() < kPartsMax) {
      parts.emplace_back(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
    }
    const char* id = zmq_msg_gets(&message, "User-Id");
    if (id != nullptr) user = id;
    more = zmq_msg_more(&message);
    zmq_msg_close(&message);
  }
  on_message_(std::move(parts), user);
  return true;
}

bool Socket::send(const std::vector<std::string_view>& parts) {
  bool sent = true;
  for (std::size_t i = 0; i < parts.size() && sent; ++i) {
    const int flags = ZMQ_DONTWAIT | (i + 1 < parts.size() ? ZMQ_SNDMORE : 0);
    sent = zmq_send(handle_, parts[i].data(), parts[i].size(), flags) >= 0;
  }
  // A send may take the edge of a message that came in: look once more, from the loop.
  look_again();
  return sent;
}

}  // namespace ringmaster::net

// SPDX-License-Identifier: Apache-2.0
//
// A ZeroMQ socket in an Asio loop: whole messages in, whole messages out, never blocking.
//
// ZeroMQ's descriptor is edge-triggered and speaks of the library's inner mailbox, not of messages:
// after each wake, and after each own send, everything that is there is read, with a turn for the
// rest of the loop in between when it is much.
//
// Thread rules: the loop's thread. Not here: keys and who may connect (server.h, client.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::net {

/// A message longer than this is not taken: nothing of ours is near it.
inline constexpr std::size_t kMessageMax = 8 * 1024 * 1024;
/// Messages that wait for a peer: more are dropped, as to one that is gone.
inline constexpr int kQueueMax = 10'000;

/// The parts of one message.
using Parts = std::vector<std::string>;

class Socket {
 public:
  /// `user`: the public key that the peer has proved, "" without CURVE. Called from the loop; it
  /// may not destroy the socket.
  using OnMessage = std::function<void(Parts parts, const std::string& user)>;

  /// `type`: ZMQ_ROUTER, ZMQ_DEALER or ZMQ_REP. Options are set on handle() before bind or connect.
  static Result<std::unique_ptr<Socket>> open(boost::asio::io_context& loop, void* context,
                                              int type, OnMessage on_message);
  ~Socket();

  void* handle() const { return handle_; }
  Result<void> set(int option, std::string_view value);
  Result<void> set(int option, int value);
  /// False when the message was dropped: nobody is there, or its queue is full.
  bool send(const std::vector<std::string_view>& parts);

 private:
  struct Watch;
  Socket(boost::asio::io_context& loop, void* handle, OnMessage on_message);
  void wait();
  void read_many();
  void look_again();
  bool read_one();

  void* handle_;
  OnMessage on_message_;
  std::shared_ptr<Watch> watch_;
};

}  // namespace ringmaster::net

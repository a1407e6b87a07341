// SPDX-License-Identifier: Apache-2.0
//
// One end of a connection to a coordinator: a DEALER socket with a key pair of its own that knows
// the server's public key. It reconnects by itself; what was sent before the first connection waits
// (a bounded queue).
//
// Thread rules: the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/keys.h"
#include "net/socket.h"

namespace ringmaster::net {

class Client {
 public:
  using OnMessage = std::function<void(std::string_view message)>;

  static Result<std::unique_ptr<Client>> connect(boost::asio::io_context& loop,
                                                 const std::string& endpoint,
                                                 const std::string& server_key, const KeyPair& keys,
                                                 OnMessage on_message);
  ~Client();

  /// False when the queue is full: the coordinator has been away for long.
  bool send(std::string_view message) { return socket_->send({message}); }

 private:
  Client() = default;
  void* context_ = nullptr;
  std::unique_ptr<Socket> socket_;
};

}  // namespace ringmaster::net

// SPDX-License-Identifier: Apache-2.0
//
// The coordinator's end of the control plane: a ROUTER socket behind CURVE, to which only keys of
// an allow-list can speak. Whoever has no such key is refused before a byte of his is read, and
// reported.
//
// Thread rules: the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "net/keys.h"
#include "net/socket.h"

namespace ringmaster::net {

class Server {
 public:
  struct Handlers {
    /// `peer`: the connection, for send(); `key`: the public key that it has proved.
    std::function<void(const std::string& peer, const std::string& key, std::string_view message)>
        on_message;
    /// Whether a key that is not on the list has been put there since; asked before it is refused.
    std::function<bool(const std::string& key)> look_again;
    /// Somebody with another key, or none, at that address.
    std::function<void(const std::string& address, const std::string& key)> on_refused;
  };

  /// `address`: "tcp://127.0.0.1:0" takes a free port, one that stays free while nobody listens.
  static Result<std::unique_ptr<Server>> bind(boost::asio::io_context& loop,
                                              const std::string& address, const KeyPair& keys,
                                              std::set<std::string> allowed, Handlers handlers);
  ~Server();

  /// "tcp://127.0.0.1:41873"
  const std::string& endpoint() const { return endpoint_; }
  /// False when the peer is gone or does not read.
  bool send(const std::string& peer, std::string_view message);

 private:
  Server(std::set<std::string> allowed, Handlers handlers);
  Result<void> start(boost::asio::io_context& loop, const std::string& address,
                     const KeyPair& keys);
  bool bind_lasting(const std::string& address);
  void authenticate(const Parts& request);

  std::set<std::string> allowed_;
  Handlers handlers_;
  void* context_;
  std::unique_ptr<Socket> judge_;  // ZAP (ZeroMQ RFC 27): asked about each new connection
  std::unique_ptr<Socket> socket_;
  std::string endpoint_;
};

}  // namespace ringmaster::net

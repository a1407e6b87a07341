// SPDX-License-Identifier: Apache-2.0
#include "net/client.h"

#include <fmt/format.h>
#include <zmq.h>

#include <boost/asio/io_context.hpp>

namespace ringmaster::net {

namespace {

// A coordinator that is started again is found within this time.
constexpr int kReconnectMs = 50;
constexpr int kReconnectMaxMs = 1000;

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(boost::asio::io_context& loop,
                                                const std::string& endpoint,
                                                const std::string& server_key, const KeyPair& keys,
                                                OnMessage on_message) {
  std::unique_ptr<Client> client(new Client);
  client->context_ = zmq_ctx_new();
  auto socket = Socket::open(loop, client->context_, ZMQ_DEALER,
                             [take = std::move(on_message)](Parts parts, const std::string&) {
                               if (parts.size() == 1) take(parts[0]);
                             });
  if (!socket) return socket.error();
  client->socket_ = std::move(*socket);
  Socket& own = *client->socket_;
  if (auto set = own.set(ZMQ_CURVE_SERVERKEY, server_key); !set) return set.error();
  if (auto set = own.set(ZMQ_CURVE_PUBLICKEY, keys.public_key); !set) return set.error();
  if (auto set = own.set(ZMQ_CURVE_SECRETKEY, keys.secret_key); !set) return set.error();
  if (auto set = own.set(ZMQ_RECONNECT_IVL, kReconnectMs); !set) return set.error();
  if (auto set = own.set(ZMQ_RECONNECT_IVL_MAX, kReconnectMaxMs); !set) return set.error();
  if (zmq_connect(own.handle(), endpoint.c_str()) != 0) {
    return Error{Errc::invalid, fmt::format("connect {}: {}", endpoint, zmq_strerror(zmq_errno()))};
  }
  return client;
}

Client::~Client() {
  socket_.reset();
  if (context_ != nullptr) zmq_ctx_term(context_);
}

}  // namespace ringmaster::net

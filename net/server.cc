// SPDX-License-Identifier: Apache-2.0
#include "net/server.h"

#include <fmt/format.h>
#include <zmq.h>

#include <array>
#include <boost/asio/io_context.hpp>

#include "base/check.h"
#include "net/lasting_port.h"

namespace ringmaster::net {

namespace {

constexpr const char* kJudgeAddress = "inproc://zeromq.zap.01";

std::string z85(const std::string& bytes) {
  std::array<char, 41> text;
  if (bytes.size() != 32) return "";
  CHECK(zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(bytes.data()), 32));
  return text.data();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::bind(boost::asio::io_context& loop,
                                             const std::string& address, const KeyPair& keys,
                                             std::set<std::string> allowed, Handlers handlers) {
  std::unique_ptr<Server> server(new Server(std::move(allowed), std::move(handlers)));
  auto started = server->start(loop, address, keys);
  if (!started) return started.error();
  return server;
}

Server::Server(std::set<std::string> allowed, Handlers handlers)
    : allowed_(std::move(allowed)), handlers_(std::move(handlers)), context_(zmq_ctx_new()) {}

Server::~Server() {
  socket_.reset();
  judge_.reset();
  zmq_ctx_term(context_);
}

Result<void> Server::start(boost::asio::io_context& loop, const std::string& address,
                           const KeyPair& keys) {
  auto judge = Socket::open(loop, context_, ZMQ_REP,
                            [this](Parts parts, const std::string&) { authenticate(parts); });
  if (!judge) return judge.error();
  judge_ = std::move(*judge);
  CHECK_EQ(zmq_bind(judge_->handle(), kJudgeAddress), 0);

  auto socket =
      Socket::open(loop, context_, ZMQ_ROUTER, [this](Parts parts, const std::string& user) {
        if (parts.size() == 2) handlers_.on_message(parts[0], user, parts[1]);
      });
  if (!socket) return socket.error();
  socket_ = std::move(*socket);
  // A peer that comes back under its name takes the place of its old connection.
  for (const int option : {ZMQ_CURVE_SERVER, ZMQ_ROUTER_HANDOVER}) {
    if (auto set = socket_->set(option, 1); !set) return set;
  }
  if (auto set = socket_->set(ZMQ_CURVE_SECRETKEY, keys.secret_key); !set) return set;
  if (auto set = socket_->set(ZMQ_ZAP_DOMAIN, "ringmaster"); !set) return set;
  if (!bind_lasting(address) && zmq_bind(socket_->handle(), address.c_str()) != 0) {
    const Errc code = zmq_errno() == EADDRINUSE ? Errc::exhausted : Errc::io;
    return Error{code, fmt::format("listen on {}: {}", address, zmq_strerror(zmq_errno()))};
  }
  std::array<char, 256> endpoint;
  std::size_t size = endpoint.size();
  CHECK_EQ(zmq_getsockopt(socket_->handle(), ZMQ_LAST_ENDPOINT, endpoint.data(), &size), 0);
  endpoint_ = endpoint.data();
  return {};
}

/// Any port: one that is most likely still free after a restart. False: that was not asked for, or
/// all that were tried are taken.
bool Server::bind_lasting(const std::string& address) {
  if (!address.ends_with(":0")) return false;
  const std::string host = address.substr(0, address.size() - 1);
  for (const int port : lasting_ports_here()) {
    if (zmq_bind(socket_->handle(), fmt::format("{}{}", host, port).c_str()) == 0) return true;
  }
  return false;
}

void Server::authenticate(const Parts& request) {
  // version, request id, domain, address, identity, mechanism, public key (32 bytes).
  const bool curve = request.size() == 7 && request[5] == "CURVE";
  const std::string key = curve ? z85(request[6]) : "";
  bool known = !key.empty() && allowed_.contains(key);
  if (!known && !key.empty() && handlers_.look_again && handlers_.look_again(key)) {
    known = allowed_.insert(key).second;
  }
  const std::string_view id = request.size() > 1 ? std::string_view(request[1]) : "";
  judge_->send({"1.0", id, known ? "200" : "400", known ? "OK" : "unknown key", key, ""});
  if (!known && handlers_.on_refused) {
    handlers_.on_refused(request.size() > 3 ? request[3] : "", key);
  }
}

bool Server::send(const std::string& peer, std::string_view message) {
  return socket_->send({peer, message});
}

}  // namespace ringmaster::net

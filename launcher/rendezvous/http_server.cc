// SPDX-License-Identifier: Apache-2.0
#include "launcher/rendezvous/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <set>

namespace ringmaster::launcher::rendezvous {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;
using HttpCode = boost::system::error_code;

/// At once. Ranks open one for each question and close it; more wait in the kernel's queue.
constexpr std::size_t kConnectionsMax = 256;
/// A connection that says nothing for so long is closed.
constexpr std::chrono::seconds kSilence(30);

using HttpAnswer = http::response<http::string_body>;

HttpAnswer answer_of(Store& store, const http::request<http::string_body>& request) {
  HttpAnswer answer(http::status::ok, request.version());
  answer.keep_alive(request.keep_alive());
  const auto place = parse_place({request.target().data(), request.target().size()});
  if (!place) {
    answer.result(http::status::bad_request);
  } else if (request.method() == http::verb::get) {
    auto value = store.get(place->scope, place->key);
    if (!value) answer.result(http::status::not_found);
    if (value) answer.body() = std::move(*value);
  } else if (request.method() == http::verb::put) {
    const auto put = store.put(place->scope, place->key, request.body());
    if (!put) answer.result(http::status::insufficient_storage);
  } else if (request.method() == http::verb::delete_) {
    store.finish(place->scope, place->key);
  } else {
    answer.result(http::status::method_not_allowed);
  }
  answer.prepare_payload();
  return answer;
}

}  // namespace

/// One client. It lives as long as an operation of its waits in the loop.
struct HttpClientLine;

struct HttpServerParts : std::enable_shared_from_this<HttpServerParts> {
  HttpServerParts(boost::asio::io_context& given, Store given_store)
      : loop(given), acceptor(given), store(std::move(given_store)) {}
  ~HttpServerParts();
  void accept();

  boost::asio::io_context& loop;
  tcp::acceptor acceptor;
  Store store;
  std::set<HttpClientLine*> lines;
  bool accepting = false;
};

struct HttpClientLine : std::enable_shared_from_this<HttpClientLine> {
  HttpClientLine(tcp::socket socket, std::weak_ptr<HttpServerParts> given)
      : stream(std::move(socket)), server(std::move(given)) {}
  ~HttpClientLine() {
    const auto owner = server.lock();
    if (!owner) return;
    owner->lines.erase(this);
    owner->accept();
  }

  void read() {
    parser.emplace();
    parser->body_limit(kValueBytesMax);
    parser->header_limit(static_cast<std::uint32_t>(8 * kNameMax));
    stream.expires_after(kSilence);
    http::async_read(stream, buffer, *parser,
                     [self = shared_from_this()](const HttpCode& code, std::size_t) {
                       const auto owner = self->server.lock();
                       if (!code && owner)
                         self->write(answer_of(owner->store, self->parser->get()));
                     });
  }

  void write(HttpAnswer given) {
    answer.emplace(std::move(given));
    stream.expires_after(kSilence);
    http::async_write(stream, *answer,
                      [self = shared_from_this()](const HttpCode& code, std::size_t) {
                        if (!code && self->answer->keep_alive()) self->read();
                      });
  }

  beast::tcp_stream stream;
  std::weak_ptr<HttpServerParts> server;
  beast::flat_buffer buffer;
  std::optional<http::request_parser<http::string_body>> parser;
  std::optional<HttpAnswer> answer;
};

HttpServerParts::~HttpServerParts() {
  // Their handlers find no server any more, and let go of them.
  for (HttpClientLine* line : lines) line->stream.cancel();
}

void HttpServerParts::accept() {
  if (accepting || !acceptor.is_open() || lines.size() >= kConnectionsMax) return;
  accepting = true;
  acceptor.async_accept([weak = weak_from_this()](const HttpCode& code, tcp::socket socket) {
    const auto self = weak.lock();
    if (!self || code == boost::asio::error::operation_aborted) return;
    self->accepting = false;
    if (!code) {
      auto line = std::make_shared<HttpClientLine>(std::move(socket), self);
      self->lines.insert(line.get());
      line->read();
    }
    self->accept();
  });
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(boost::asio::io_context& loop, Store store) {
  auto parts = std::make_shared<HttpServerParts>(loop, std::move(store));
  const tcp::endpoint loopback(boost::asio::ip::address_v4::loopback(), 0);
  HttpCode code;
  parts->acceptor.open(loopback.protocol(), code);
  if (!code) parts->acceptor.bind(loopback, code);
  if (!code) parts->acceptor.listen(boost::asio::socket_base::max_listen_connections, code);
  if (code) return Error{Errc::io, "listen for Horovod's rendezvous: " + code.message()};
  parts->accept();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::shared_ptr<HttpServerParts> parts) : parts_(std::move(parts)) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return parts_->acceptor.local_endpoint().port();
}

}  // namespace ringmaster::launcher::rendezvous

// SPDX-License-Identifier: Apache-2.0
//
// The server against clients that write what they like.
#include "launcher/rendezvous/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>

#include "base/file_descriptor.h"

namespace ringmaster::launcher::rendezvous {
namespace {

using namespace std::chrono_literals;

struct RendezvousHttp : testing::Test {
  void SetUp() override {
    auto started = HttpServer::start(loop, Store(2));
    ASSERT_TRUE(started.ok()) << started.error().message;
    server = std::move(*started);
  }
  FileDescriptor connect() {
    FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(server->port()));
    CHECK_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  /// What the server says to these bytes within 100 ms of silence.
  std::string ask(const FileDescriptor& fd, const std::string& bytes) {
    std::string answer;
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent =
          ::send(fd.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) at += static_cast<std::size_t>(sent);
      if (sent < 0 && errno != EAGAIN) break;
      loop.run_for(1ms);
      loop.restart();
    }
    for (int quiet = 0; quiet < 5;) {
      loop.run_for(5ms);
      loop.restart();
      char buffer[65536];
      const ssize_t size = ::recv(fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
      if (size > 0) answer.append(buffer, static_cast<std::size_t>(size));
      quiet = size > 0 ? 0 : quiet + 1;
    }
    return answer;
  }
  static std::string request(const std::string& verb, const std::string& path,
                             const std::string& body = "") {
    return fmt::format("{} {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", verb, path,
                       body.size(), body);
  }
  static std::string status_of(const std::string& answer) { return answer.substr(0, 12); }

  boost::asio::io_context loop;
  std::unique_ptr<HttpServer> server;
};

TEST_F(RendezvousHttp, PutsAreGotAndDeletedByAll) {
  const auto fd = connect();
  EXPECT_EQ(status_of(ask(fd, request("GET", "/global/0"))), "HTTP/1.1 404");
  const std::string value("a\0b\r\n", 5);
  EXPECT_EQ(status_of(ask(fd, request("PUT", "/global/0", value))), "HTTP/1.1 200");
  EXPECT_EQ(status_of(ask(fd, request("PUT", "/global/1", ""))), "HTTP/1.1 200");
  const std::string got = ask(connect(), request("GET", "/global/0"));
  EXPECT_EQ(status_of(got), "HTTP/1.1 200");
  EXPECT_EQ(got.substr(got.size() - 5), value);
  EXPECT_EQ(status_of(ask(fd, request("DELETE", "/global/0"))), "HTTP/1.1 200");
  EXPECT_EQ(status_of(ask(fd, request("DELETE", "/global/1"))), "HTTP/1.1 200");
  EXPECT_EQ(status_of(ask(fd, request("GET", "/global/0"))), "HTTP/1.1 404");
}

TEST_F(RendezvousHttp, OddRequestsAreRefused) {
  EXPECT_EQ(status_of(ask(connect(), request("GET", "/"))), "HTTP/1.1 400");
  EXPECT_EQ(status_of(ask(connect(), request("POST", "/global/0"))), "HTTP/1.1 405");
  EXPECT_EQ(ask(connect(), "hello\r\n\r\n"), "");
  EXPECT_EQ(ask(connect(), "GET /" + std::string(100000, 'x')), "");
  const std::string huge = "PUT /s/k HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n";
  EXPECT_EQ(ask(connect(), huge), "") << "it is closed";
  EXPECT_EQ(status_of(ask(connect(), request("GET", "/global/0"))), "HTTP/1.1 404") << "it lives";
}

TEST_F(RendezvousHttp, ManyConnectionsWaitForTheirTurn) {
  std::vector<FileDescriptor> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(connect());
  const auto late = connect();
  EXPECT_EQ(ask(late, request("GET", "/global/0")), "") << "256 others are silent before it";
  silent.clear();
  EXPECT_EQ(status_of(ask(late, "")), "HTTP/1.1 404");
}

TEST_F(RendezvousHttp, ItsEndClosesItsConnections) {
  const auto fd = connect();
  EXPECT_EQ(status_of(ask(fd, request("GET", "/global/0"))), "HTTP/1.1 404");
  server.reset();
  EXPECT_EQ(ask(fd, request("GET", "/global/0")), "");
  char byte = 0;
  EXPECT_LE(::recv(fd.get(), &byte, 1, MSG_DONTWAIT), 0);
}

}  // namespace
}  // namespace ringmaster::launcher::rendezvous

// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmi/server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <optional>

#include "launcher/pmi/space.h"

namespace ringmaster::launcher::pmi {

namespace {

using PmiSocket = boost::asio::posix::stream_descriptor;

}  // namespace

// Not in the nameless namespace: a type with a name has it as a member.
struct PmiConnection {
  std::optional<PmiSocket> socket;
  std::string input;   // no more than one line and a buffer
  std::string output;  // that the socket has not taken
  bool waits = false;  // for the loop
  bool deaf = false;   // its end takes no more; what it has said is heard all the same
};

struct Server::Parts : std::enable_shared_from_this<Server::Parts> {
  Parts(boost::asio::io_context& given_loop, const std::string& name, const std::vector<int>& hosts,
        ServerHandlers given)
      : loop(given_loop),
        space(static_cast<int>(hosts.size()), name, process_mapping_of(hosts)),
        handlers(std::move(given)),
        connections(hosts.size()) {}

  PmiConnection& at(int rank) { return connections[static_cast<std::size_t>(rank)]; }
  void watch(int rank);
  /// Takes one buffer.
  enum class Heard { nothing, something, end };
  Heard read(int rank);
  void take_lines(int rank);
  void send(int rank, const std::string& text);
  void perform(const std::vector<Action>& actions);

  boost::asio::io_context& loop;
  Space space;
  ServerHandlers handlers;
  std::vector<PmiConnection> connections;
};

void Server::Parts::watch(int rank) {
  PmiConnection& one = at(rank);
  if (one.waits || !one.socket) return;
  one.waits = true;
  const auto what = one.output.empty() ? PmiSocket::wait_read : PmiSocket::wait_write;
  one.socket->async_wait(what, [weak = weak_from_this(), rank](const boost::system::error_code& c) {
    const auto self = weak.lock();
    if (!self || c) return;
    PmiConnection& ready = self->at(rank);
    ready.waits = false;
    if (!ready.output.empty()) {
      self->send(rank, "");
      self->take_lines(rank);
    } else if (self->read(rank) == Heard::end) {
      return;
    }
    self->watch(rank);
  });
}

Server::Parts::Heard Server::Parts::read(int rank) {
  PmiConnection& one = at(rank);
  std::array<char, kLineMax> buffer;
  ssize_t size = 0;
  do {
    size = ::recv(one.socket->native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Heard::nothing;
  if (size <= 0) {
    one.socket.reset();
    return Heard::end;
  }
  one.input.append(buffer.data(), static_cast<std::size_t>(size));
  take_lines(rank);
  return one.socket ? Heard::something : Heard::end;
}

void Server::Parts::take_lines(int rank) {
  PmiConnection& one = at(rank);
  std::size_t taken = 0;
  for (std::size_t end = 0; one.output.empty() && one.socket; taken = end + 1) {
    end = one.input.find('\n', taken);
    if (end == std::string::npos) break;
    perform(space.on_line(rank, std::string_view(one.input).substr(taken, end - taken)));
  }
  one.input.erase(0, taken);
  if (one.input.size() > kLineMax && one.input.find('\n') == std::string::npos) {
    one.socket.reset();
    handlers.on_failure(rank, fmt::format("said more than {} bytes to PMI in one line", kLineMax));
  }
}

void Server::Parts::send(int rank, const std::string& text) {
  PmiConnection& one = at(rank);
  if (!one.deaf && one.socket) one.output += text;
  while (one.socket && !one.output.empty()) {
    const ssize_t size = ::send(one.socket->native_handle(), one.output.data(), one.output.size(),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      // Whoever waits for input now waits for room first.
      one.socket->cancel();
      one.waits = false;
      watch(rank);
      return;
    }
    one.deaf = size < 0;
    one.output.erase(0, size < 0 ? one.output.size() : static_cast<std::size_t>(size));
  }
}

void Server::Parts::perform(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    if (const auto* out = std::get_if<Send>(&action)) send(out->rank, out->text);
    if (const auto* abort = std::get_if<Abort>(&action)) {
      handlers.on_abort(abort->rank, abort->code);
    }
    if (const auto* fail = std::get_if<Fail>(&action)) {
      handlers.on_failure(fail->rank, fail->words);
    }
    if (const auto* line = std::get_if<Say>(&action)) handlers.say(line->words);
  }
}

Server::Server(boost::asio::io_context& loop, const std::string& name,
               const std::vector<int>& hosts, ServerHandlers handlers)
    : parts_(std::make_shared<Parts>(loop, name, hosts, std::move(handlers))) {}
Server::~Server() = default;

Result<FileDescriptor> Server::connect(int rank) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error(errno, fmt::format("make the PMI socket of rank {}", rank));
  }
  PmiConnection& one = parts_->at(rank);
  one = PmiConnection{};
  one.socket.emplace(parts_->loop, ends[0]);
  parts_->watch(rank);
  return FileDescriptor(ends[1]);
}

void Server::drain(int rank) {
  // Bounded by what the kernel holds: the rank is gone, and says no more.
  while (parts_->at(rank).socket && parts_->read(rank) == Parts::Heard::something) {
  }
}

void Server::ended(int rank) {
  parts_->perform(parts_->space.on_ended(rank));
}

bool Server::inside(int rank) const {
  return parts_->space.inside(rank);
}

}  // namespace ringmaster::launcher::pmi

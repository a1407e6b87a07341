// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/relay.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "collectives/tcp/address.h"

namespace ringmaster::storm {

namespace {

constexpr std::size_t kHeldMax = 64 * 1024;  // bytes of one way, beside what sockets hold
constexpr Duration kSleepMax = std::chrono::milliseconds(20);

void set_buffers(int fd, const Buffers& buffers) {
  const auto set = [&](int which, int bytes) {
    if (bytes > 0) setsockopt(fd, SOL_SOCKET, which, &bytes, sizeof(bytes));
  };
  set(SO_RCVBUF, buffers.receive);
  set(SO_SNDBUF, buffers.send);
}

void set_up(int fd, const LinkFaults& faults) {
  const int on = 1;
  CHECK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0);
  CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
  set_buffers(fd, faults.buffers);
}

bool is_tcp(int fd) {
  int protocol = 0;
  socklen_t length = sizeof(protocol);
  return getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 &&
         protocol == IPPROTO_TCP;
}

}  // namespace

Relay::Relay(std::vector<std::string> endpoints, LinkFaults faults, std::uint64_t seed)
    : endpoints_(std::move(endpoints)), faults_(faults), random_(seed) {
  for (std::size_t i = 0; i < endpoints_.size(); ++i) {
    auto listener = collectives::listen_on("127.0.0.1:0");
    CHECK(listener.ok());
    doors_.push_back(*collectives::endpoint_of(listener->get()));
    listeners_.push_back(std::move(*listener));
  }
  thread_ = std::thread([this] { loop(); });
}

Relay::~Relay() {
  ending_ = true;
  thread_.join();
}

void Relay::loop() {
  while (!ending_) {
    const Time now = read_clock();
    for (std::size_t door = 0; door < listeners_.size(); ++door) accept(door);
    for (auto& connection : connections_) {
      for (Way& way : connection->ways) pass(way, now);
    }
    if (faults_.cut != LinkFaults::Cut::none && passed_ >= faults_.cut_after) cut();
    sleep(read_clock());
  }
}

void Relay::accept(std::size_t door) {
  FileDescriptor near(::accept4(listeners_[door].get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!near.valid()) return;
  FileDescriptor far(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = collectives::parse_endpoint(endpoints_[door]);
  CHECK(far.valid() && address.ok());
  // The listener is there, and on this machine: it waits for nobody.
  if (::connect(far.get(), address->get(), address->length) != 0) return;
  auto made = std::make_unique<Connection>();
  set_up(near.get(), faults_);
  set_up(far.get(), faults_);
  made->ways = {{near.get(), far.get()}, {far.get(), near.get()}};
  made->near = std::move(near);
  made->far = std::move(far);
  connections_.push_back(std::move(made));
}

void Relay::pass(Way& way, Time now) {
  if (is_cut_) return;
  take(way, now);
  give(way, now);
  if (way.ended && way.held.empty() && !way.closed) {
    ::shutdown(way.to, SHUT_WR);
    way.closed = true;
  }
}

void Relay::take(Way& way, Time now) {
  if (way.ended || way.held_bytes >= kHeldMax) return;
  std::vector<std::byte> bytes(1 + random_.below(faults_.piece_max));
  const ssize_t got = ::recv(way.from, bytes.data(), bytes.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    way.ended = true;
    return;
  }
  bytes.resize(static_cast<std::size_t>(got));
  way.held_bytes += bytes.size();
  Time due = now;
  if (faults_.delay_max > Duration{}) {
    due += Duration(random_.below(static_cast<std::uint64_t>(faults_.delay_max.count())));
  }
  // No piece comes before one that came earlier.
  if (!way.held.empty()) due = std::max(due, way.held.back().due);
  way.held.push_back({due, std::move(bytes)});
}

void Relay::give(Way& way, Time now) {
  while (!way.held.empty() && way.held.front().due <= now) {
    Piece& piece = way.held.front();
    const ssize_t sent = ::send(way.to, piece.bytes.data(), piece.bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0) {  // the receiver is gone
      way.held.clear();
      way.held_bytes = 0;
      way.ended = true;
      return;
    }
    passed_ += static_cast<std::uint64_t>(sent);
    way.held_bytes -= static_cast<std::size_t>(sent);
    piece.bytes.erase(piece.bytes.begin(), piece.bytes.begin() + sent);
    if (!piece.bytes.empty()) return;
    way.held.pop_front();
  }
}

void Relay::cut() {
  // What connects from now on meets the same fate.
  if (faults_.cut != LinkFaults::Cut::silent) {
    for (auto& connection : connections_) {
      const linger now{1, faults_.cut == LinkFaults::Cut::reset ? 0 : 1};
      for (const int fd : {connection->near.get(), connection->far.get()}) {
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
      }
    }
    connections_.clear();
  }
  is_cut_ = faults_.cut == LinkFaults::Cut::silent;
}

void Relay::sleep(Time now) const {
  std::vector<pollfd> fds;
  Duration left = kSleepMax;
  for (const FileDescriptor& listener : listeners_) fds.push_back({listener.get(), POLLIN, 0});
  for (const auto& connection : connections_) {
    for (const Way& way : connection->ways) {
      if (is_cut_) continue;
      if (!way.ended && way.held_bytes < kHeldMax) fds.push_back({way.from, POLLIN, 0});
      if (way.held.empty()) continue;
      if (way.held.front().due > now) {
        left = std::min(left, way.held.front().due - now);
      } else {
        fds.push_back({way.to, POLLOUT, 0});
      }
    }
  }
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  ::poll(fds.data(), fds.size(), static_cast<int>(ms));
}

void set_all_buffers(const Buffers& buffers) {
  DIR* folder = ::opendir("/proc/self/fd");
  CHECK(folder != nullptr);
  while (const dirent* entry = ::readdir(folder)) {
    int fd = -1;
    const char* name = entry->d_name;
    const auto [end, code] = std::from_chars(name, name + std::strlen(name), fd);
    if (code == std::errc() && is_tcp(fd)) set_buffers(fd, buffers);
  }
  ::closedir(folder);
}

}  // namespace ringmaster::storm

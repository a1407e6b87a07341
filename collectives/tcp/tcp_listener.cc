// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/tcp_listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "collectives/tcp/nonce.h"

namespace ringmaster::collectives {

namespace {

// Connections taken before the other waits are looked at again.
constexpr int kAcceptsAtOnce = 64;
constexpr Duration kAcceptPause = std::chrono::milliseconds(10);

enum class Fill { full, short_of, broken };

/// Reads exactly so many bytes in all: what comes after them belongs to the link.
Fill fill(int fd, std::span<std::byte> buffer, std::size_t* filled) {
  while (*filled < buffer.size()) {
    const ssize_t bytes = ::recv(fd, buffer.data() + *filled, buffer.size() - *filled, 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return Fill::short_of;
    if (bytes <= 0) return Fill::broken;
    *filled += static_cast<std::size_t>(bytes);
  }
  return Fill::full;
}

}  // namespace

Result<TcpListener> TcpListener::adopt(int fd) {
  int listening = 0;
  socklen_t length = sizeof(listening);
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0) {
    return errno_error(errno, fmt::format("look at the listening socket (descriptor {})", fd));
  }
  if (listening == 0) return Error{Errc::invalid, fmt::format("descriptor {} does not listen", fd)};
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
      fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    return errno_error(errno, fmt::format("set up the listening socket (descriptor {})", fd));
  }
  return TcpListener(FileDescriptor(fd));
}

void TcpListener::open(Door door) {
  CHECK(!door.secret.empty());
  door_ = std::move(door);
  inside_.clear();
  for (Guest& guest : guests_) {
    if (guest.state == State::answered) guest.state = State::dropped;  // by an older door
    if (guest.state == State::early) judge(guest);
  }
  std::erase_if(guests_, [](const Guest& guest) { return guest.state == State::dropped; });
}

void TcpListener::step(Time now) {
  accept_all(now);
  for (Guest& guest : guests_) {
    advance(guest, now);
    if (guest.state == State::inside) inside_[guest.from] = std::move(guest.fd);
  }
  std::erase_if(guests_, [](const Guest& guest) {
    return guest.state == State::dropped || guest.state == State::inside;
  });
  keep_to_bounds();
}

void TcpListener::accept_all(Time now) {
  if (now < accept_again_) return;
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    FileDescriptor fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.valid()) {
      if (errno == EAGAIN) return;
      if (errno == EINTR || errno == ECONNABORTED) continue;
      accept_again_ = now + kAcceptPause;
      return;
    }
    const int on = 1;
    if (setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) continue;
    Guest guest;
    guest.fd = std::move(fd);
    guest.deadline = now + kHelloMax;
    guests_.push_back(std::move(guest));
    // What it has to say is usually here already: then it never counts as half open.
    advance(guests_.back(), now);
    if (guests_.back().state == State::dropped) guests_.pop_back();
    keep_to_bounds();
  }
}

void TcpListener::advance(Guest& guest, Time now) {
  if (guest.state == State::greeting) {
    const Fill end = fill(guest.fd.get(), guest.hello, &guest.filled);
    if (end == Fill::full) return judge(guest);
    if (end == Fill::broken || now > guest.deadline) guest.state = State::dropped;
  } else if (guest.state == State::answered) {
    const Fill end = fill(guest.fd.get(), guest.confirm, &guest.filled);
    if (end == Fill::full) {
      const bool right = is_confirm(guest.confirm, guest.hello, guest.answer, door_.secret);
      guest.state = right ? State::inside : State::dropped;
    } else if (end == Fill::broken) {
      guest.state = State::dropped;
    }
  }
}

void TcpListener::judge(Guest& guest) {
  const auto hello = decode_hello(guest.hello, door_.secret);
  if (!hello || hello->generation < door_.generation) {
    guest.state = State::dropped;
  } else if (hello->generation > door_.generation) {
    guest.state = State::early;
  } else if (hello->from >= door_.to || hello->to != door_.to) {
    guest.state = State::dropped;
  } else {
    guest.from = hello->from;
    answer(guest);
  }
}

void TcpListener::answer(Guest& guest) {
  guest.answer = make_answer(guest.hello, make_nonce(), door_.secret);
  // A new connection has room for 48 bytes; one that has not is no good.
  const ssize_t sent =
      ::send(guest.fd.get(), guest.answer.data(), guest.answer.size(), MSG_NOSIGNAL);
  guest.state =
      sent == static_cast<ssize_t>(guest.answer.size()) ? State::answered : State::dropped;
  guest.filled = 0;
}

FileDescriptor TcpListener::take(std::uint32_t from) {
  const auto found = inside_.find(from);
  if (found == inside_.end()) return {};
  FileDescriptor guest = std::move(found->second);
  inside_.erase(found);
  return guest;
}

std::vector<std::uint32_t> TcpListener::guests() const {
  std::vector<std::uint32_t> positions;
  for (const auto& [from, fd] : inside_) positions.push_back(from);
  return positions;
}

std::size_t TcpListener::half_open() const {
  return static_cast<std::size_t>(std::ranges::count_if(guests_, [](const Guest& guest) {
    return guest.state == State::greeting || guest.state == State::answered;
  }));
}

std::size_t TcpListener::early() const {
  return static_cast<std::size_t>(std::ranges::count(guests_, State::early, &Guest::state));
}

void TcpListener::keep_to_bounds() {
  // Those that have not even shown a proof go before one that has been answered.
  while (half_open() > kHalfOpenMax) {
    if (!drop_oldest(State::greeting)) CHECK(drop_oldest(State::answered));
  }
  while (early() > kEarlyMax) CHECK(drop_oldest(State::early));
}

bool TcpListener::drop_oldest(State state) {
  const auto oldest = std::ranges::find(guests_, state, &Guest::state);
  if (oldest == guests_.end()) return false;
  guests_.erase(oldest);
  return true;
}

void TcpListener::add_to(std::vector<pollfd>& fds) const {
  if (read_clock() >= accept_again_) fds.push_back({fd_.get(), POLLIN, 0});
  for (const Guest& guest : guests_) {
    if (guest.state != State::early) fds.push_back({guest.fd.get(), POLLIN, 0});
  }
}

}  // namespace ringmaster::collectives

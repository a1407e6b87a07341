// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/connector.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collectives/tcp/nonce.h"

namespace ringmaster::collectives {

namespace {

constexpr Duration kPauseFirst = std::chrono::milliseconds(1);
constexpr Duration kPauseMax = std::chrono::milliseconds(100);
// A peer that kept us so long knew us: when it hangs up then, the trouble has only just begun.
constexpr Duration kPatientPeer = std::chrono::seconds(1);

std::string text_of(int error_number) {
  return std::strerror(error_number);
}

}  // namespace

void Connector::step(Time now) {
  if (state_ == State::pausing && now >= again_) begin(now);
  if (state_ == State::connecting) greet(now);
  if (state_ == State::waiting) read_answer(now);
}

void Connector::begin(Time now) {
  fd_.reset(::socket(to_.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!fd_.valid() || setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) {
    return fail(now, text_of(errno));
  }
  state_ = State::connecting;
}

void Connector::greet(Time now) {
  // Called again on a socket that is connecting, connect() says how far it has come.
  if (::connect(fd_.get(), to_.get(), to_.length) != 0 && errno != EISCONN) {
    if (errno == EINPROGRESS || errno == EALREADY || errno == EINTR) return;
    return fail(now, text_of(errno));
  }
  hello_.nonce = make_nonce();
  sent_ = encode_hello(hello_, secret_);
  const ssize_t bytes = ::send(fd_.get(), sent_.data(), sent_.size(), MSG_NOSIGNAL);
  if (bytes != static_cast<ssize_t>(sent_.size())) return fail(now, text_of(errno));
  state_ = State::waiting;
  waiting_since_ = now;
  filled_ = 0;
}

void Connector::read_answer(Time now) {
  while (filled_ < answer_.size()) {
    const ssize_t bytes = ::recv(fd_.get(), answer_.data() + filled_, answer_.size() - filled_, 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (bytes < 0) return fail(now, text_of(errno));
    if (bytes == 0) return fail(now, "it does not let us in");
    filled_ += static_cast<std::size_t>(bytes);
  }
  if (!is_answer(answer_, sent_, secret_)) return fail(now, "the answer is not of this job");
  const ConfirmBytes confirm = make_confirm(sent_, answer_, secret_);
  const ssize_t bytes = ::send(fd_.get(), confirm.data(), confirm.size(), MSG_NOSIGNAL);
  if (bytes != static_cast<ssize_t>(confirm.size())) return fail(now, text_of(errno));
  state_ = State::ready;
}

void Connector::fail(Time now, std::string problem) {
  if (waiting_since_ && now - *waiting_since_ > kPatientPeer) failing_since_.reset();
  if (!failing_since_) failing_since_ = now;
  waiting_since_.reset();
  problem_ = std::move(problem);
  fd_.reset();
  pause_ = std::clamp(pause_ * 2, kPauseFirst, kPauseMax);
  again_ = now + pause_;
  state_ = State::pausing;
}

void Connector::add_to(std::vector<pollfd>& fds) const {
  if (state_ == State::connecting) fds.push_back({fd_.get(), POLLOUT, 0});
  if (state_ == State::waiting) fds.push_back({fd_.get(), POLLIN, 0});
}

std::optional<Time> Connector::next_attempt() const {
  if (state_ != State::pausing) return {};
  return again_;
}

}  // namespace ringmaster::collectives

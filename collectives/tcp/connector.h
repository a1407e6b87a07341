// SPDX-License-Identifier: Apache-2.0
//
// Connects to the next rank's endpoint and shows who we are, until that rank has answered.
//
// An attempt that fails is repeated after a pause: the peer may have been full of strangers, or be
// about to go. An answer may be long in coming: the peer is still in the generation before.
//
// Thread rules: one thread.
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/time.h"
#include "collectives/tcp/address.h"
#include "collectives/tcp/handshake.h"

namespace ringmaster::collectives {

class Connector {
 public:
  /// The nonce of `hello` is made anew for each attempt.
  Connector(Address to, Hello hello, std::string secret)
      : to_(to), hello_(hello), secret_(std::move(secret)) {}

  /// Goes on as far as possible without waiting.
  void step(Time now);
  /// The connection is open: data may go.
  bool ready() const { return state_ == State::ready; }
  FileDescriptor take() { return std::move(fd_); }

  void add_to(std::vector<pollfd>& fds) const;
  /// When the next attempt begins; nothing while one is under way.
  std::optional<Time> next_attempt() const;
  /// Since when every attempt has failed, and why the last one did.
  std::optional<Time> failing_since() const { return failing_since_; }
  const std::string& problem() const { return problem_; }

 private:
  enum class State { pausing, connecting, waiting, ready };
  void begin(Time now);
  void greet(Time now);
  void read_answer(Time now);
  void fail(Time now, std::string problem);

  Address to_;
  Hello hello_;
  std::string secret_;
  State state_ = State::pausing;
  FileDescriptor fd_;
  HelloBytes sent_{};
  AnswerBytes answer_{};
  std::size_t filled_ = 0;
  Time again_{};
  Duration pause_{};
  std::optional<Time> waiting_since_;
  std::optional<Time> failing_since_;
  std::string problem_;
};

}  // namespace ringmaster::collectives

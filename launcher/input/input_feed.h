// SPDX-License-Identifier: Apache-2.0
//
// Hands our standard input on to ranks.
//
// One rank and a file or pipe: the rank gets the descriptor itself, so that it reads at its own
// speed and what it does not want stays there. Bytes are copied only where they must be: from a
// terminal, which belongs to our session (in its own, a rank cannot read it), and to all ranks.
// Then one piece of kPieceMax bytes is on its way at a time, and the next is read when every rank
// that still listens has taken all of it: the slowest holds the others back. A rank that has closed
// its input or ended is not waited for; a process that takes its place goes on with what is left of
// the piece, and with what follows.
//
// In the background a terminal is not read, as the kernel would stop us for it; whether we are back
// in front is looked at every kLookAgain, because not every shell sends SIGCONT then.
//
// Thread rules: the loop's thread only. The source stays open, and without O_NONBLOCK, which others
// that share it would see.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/result.h"
#include "base/time.h"
#include "launcher/input/input_wish.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher {

class InputFeed {
 public:
  static constexpr std::size_t kPieceMax = 64 * 1024;
  static constexpr Duration kLookAgain = std::chrono::milliseconds(300);

  /// Ignores SIGTTIN for the process when `source` is a terminal (spawn resets it).
  InputFeed(boost::asio::io_context& loop, InputWish wish, int source);
  /// Nothing is read or written after this; ranks see the end of their input.
  ~InputFeed();
  InputFeed(const InputFeed&) = delete;

  /// What a process of the rank is to be started with; -1: /dev/null. It stays ours, and may be
  /// closed as soon as the loop goes on.
  Result<int> give(int rank);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ringmaster::launcher

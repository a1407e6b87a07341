// SPDX-License-Identifier: Apache-2.0
//
// The listening endpoint of a rank, for its whole life, and who stands before its door.
//
// The agent binds and the rank inherits, so the endpoint is in the table of the generation before
// the rank looks, and the kernel keeps connections until it does. A guest shows a proof of the
// job's secret within a deadline, or is dropped: port scanners, random bytes, other jobs, older
// generations. A guest of a newer generation has only got its table first: it is kept until that
// generation's door opens here. The number of guests of each kind is bounded; the oldest goes.
//
// Between the doors nobody is looked at, so strangers cost an operation nothing.
//
// Thread rules: one thread, that of the rank's communicators.
#pragma once

#include <poll.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "base/time.h"
#include "collectives/tcp/handshake.h"

namespace ringmaster::collectives {

class TcpListener {
 public:
  /// Genuine ranks say all at once when they connect, so the youngest guests are the good ones.
  static constexpr std::size_t kHalfOpenMax = 64;
  static constexpr std::size_t kEarlyMax = 64;
  static constexpr Duration kHelloMax = std::chrono::seconds(5);

  /// Who may come in: ranks of one generation at positions below ours (of two ranks the lower one
  /// knocks).
  struct Door {
    std::int64_t generation = 0;
    std::uint32_t to = 0;  // our position
    std::string secret;
  };

  /// Takes over a listening socket (listen_on() makes one).
  static Result<TcpListener> adopt(int fd);

  int fd() const { return fd_.get(); }

  /// From now on guests are measured by this door, those that wait as well.
  void open(Door door);
  /// Goes on with everybody as far as that is possible without waiting.
  void step(Time now);
  /// The guest from that position, when it has come in; the latest, when its first connection
  /// broke. Else not valid.
  FileDescriptor take(std::uint32_t from);
  /// Positions of those that have come in and were not taken.
  std::vector<std::uint32_t> guests() const;
  /// What step() waits for.
  void add_to(std::vector<pollfd>& fds) const;

  std::size_t half_open() const;
  std::size_t early() const;

 private:
  // Only a greeting has a deadline: later on the guest has shown that it knows the secret, and may
  // be stopped for as long as it likes.
  enum class State { greeting, early, answered, inside, dropped };
  struct Guest {
    FileDescriptor fd;
    Time deadline{};
    State state = State::greeting;
    HelloBytes hello{};
    AnswerBytes answer{};
    ConfirmBytes confirm{};
    std::size_t filled = 0;  // of hello or confirm
    std::uint32_t from = 0;  // as proved
  };
  explicit TcpListener(FileDescriptor fd) : fd_(std::move(fd)) {}

  void accept_all(Time now);
  void advance(Guest& guest, Time now);
  void judge(Guest& guest);
  void answer(Guest& guest);
  void keep_to_bounds();
  bool drop_oldest(State state);

  FileDescriptor fd_;
  Door door_;
  std::deque<Guest> guests_;                        // in the order of arrival
  std::map<std::uint32_t, FileDescriptor> inside_;  // by position: one for each at most
  Time accept_again_{};                             // after the process ran out of descriptors
};

}  // namespace ringmaster::collectives

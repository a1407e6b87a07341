// SPDX-License-Identifier: Apache-2.0
//
// Bad links between ranks: a relay before each rank's door that passes bytes on as it likes.
//
// Thread rules: made and ended by one thread; the relay has one of its own.
#pragma once

#include <poll.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "base/random.h"
#include "base/time.h"

namespace ringmaster::storm {

/// Bytes of a socket's buffers. The system rounds them up to the least that it can do with; 0
/// leaves one as it is.
struct Buffers {
  int receive = 0;
  int send = 0;
};

struct LinkFaults {
  std::size_t piece_max = 64 * 1024;  // bytes passed on at once; each piece has a random length
  Duration delay_max{};               // for which a piece is held back, at most
  Buffers buffers = {};               // of the relay's sockets

  enum class Cut {
    none,
    reset,   // the connection breaks
    closed,  // it ends as if the other side had closed it
    silent   // nothing comes through any more, and nobody is told
  };
  Cut cut = Cut::none;
  std::uint64_t cut_after = 0;  // bytes that come through, of all connections together
};

class Relay {
 public:
  /// One door for each of the endpoints, in their order.
  Relay(std::vector<std::string> endpoints, LinkFaults faults, std::uint64_t seed);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  const std::vector<std::string>& doors() const { return doors_; }

 private:
  struct Piece {
    Time due;
    std::vector<std::byte> bytes;
  };
  /// One direction of a connection.
  struct Way {
    int from, to;
    std::deque<Piece> held = {};
    std::size_t held_bytes = 0;
    bool ended = false;   // `from` has said its last byte
    bool closed = false;  // and `to` knows
  };
  struct Connection {
    FileDescriptor near, far;
    std::vector<Way> ways;
  };

  void loop();
  void accept(std::size_t door);
  void pass(Way& way, Time now);
  void take(Way& way, Time now);
  void give(Way& way, Time now);
  void cut();
  void sleep(Time now) const;

  std::vector<std::string> endpoints_, doors_;
  LinkFaults faults_;
  Random random_;
  std::vector<FileDescriptor> listeners_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::uint64_t passed_ = 0;
  bool is_cut_ = false;
  std::atomic<bool> ending_{false};
  std::thread thread_;  // last: it uses all of the above
};

/// For all TCP sockets of this process.
void set_all_buffers(const Buffers& buffers);

}  // namespace ringmaster::storm

// SPDX-License-Identifier: Apache-2.0
//
// Two ranks that were connected in an older generation go on with that connection.
//
// Each sends one frame that names the new generation, and throws away all that comes before the
// other's: what an older generation had on its way is never taken for the new one's. The proof of
// the job's secret was given when the connection was opened, and nobody else has it. Half a round
// trip instead of two and a half, and the connection keeps what it has learned about the network.
//
// When the other end has closed it, nothing of the new generation was said, and a new one is made.
//
// Thread rules: one thread.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/tcp/link.h"

namespace ringmaster::collectives {

class Reunion {
 public:
  /// `link` has sent whole frames only. The peer has position `peer` in the new generation.
  Reunion(std::unique_ptr<Link> link, int peer, std::int64_t generation);

  /// Goes on as far as possible without waiting.
  void step();
  /// Data may go.
  bool ready() const { return ready_; }
  /// The connection is no good.
  bool lost() const { return link_->broken(); }
  std::unique_ptr<Link> take() { return std::move(link_); }

  void add_to(std::vector<pollfd>& fds) const;

 private:
  /// Whether there may be more to throw away.
  bool read();

  std::unique_ptr<Link> link_;
  std::int64_t generation_;
  bool met_ = false;    // the peer's frame has come
  bool ready_ = false;  // and ours is out
};

}  // namespace ringmaster::collectives

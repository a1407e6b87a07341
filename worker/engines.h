// SPDX-License-Identifier: Apache-2.0
//
// Which engine a generation's collectives run on: shared memory where all ranks are on this host,
// TCP where each host has one rank, both where hosts have several (collectives/hierarchical).
//
// Holds what outlives generations: the host's shared memory, the rank's listening socket, and its
// connections.
//
// Thread rules: one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectives/communicator.h"
#include "collectives/schedules/choose.h"
#include "collectives/shm/arena.h"
#include "collectives/shm/segment.h"
#include "collectives/tcp/kept_links.h"
#include "collectives/tcp/tcp_listener.h"
#include "worker/contract.h"
#include "worker/messages.h"

namespace ringmaster::worker {

class RankEngines {
 public:
  static Result<RankEngines> open(const RankContract& contract);

  const collectives::Segment& segment() const { return segment_; }
  /// The engine lives no longer than this and the rank's arena, and not beside another one. The
  /// form is of this rank.
  Result<std::unique_ptr<collectives::Communicator>> make(const FormMessage& form,
                                                          collectives::Arena* arena);

 private:
  RankEngines(collectives::Segment segment, int abort_fd)
      : segment_(std::move(segment)), abort_fd_(abort_fd) {}
  Result<std::unique_ptr<collectives::Communicator>> make_between_hosts(const FormMessage& form);

  collectives::Segment segment_;
  int abort_fd_;                                      // -1: none
  std::optional<collectives::TcpListener> listener_;  // where the job may have several hosts
  collectives::KeptLinks kept_;                       // to ranks of other hosts
  collectives::schedules::Choice choice_;
  std::string algorithm_;  // the choice in words
};

}  // namespace ringmaster::worker

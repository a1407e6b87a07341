// SPDX-License-Identifier: Apache-2.0
//
// The connections of a rank to others of its generation: made when somebody first wants one, and
// kept to the end of the generation, and beyond it where there is somebody who keeps them. Of two
// ranks the lower position knocks at the other's door; a connection serves both directions.
//
// Not one connection for each pair from the start: an operation needs few of them (its plan says
// which), and a thousand ranks would need a million.
//
// Thread rules: one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "collectives/tcp/alarm.h"
#include "collectives/tcp/connector.h"
#include "collectives/tcp/kept_links.h"
#include "collectives/tcp/link.h"
#include "collectives/tcp/reunion.h"
#include "collectives/tcp/tcp_listener.h"
#include "collectives/tcp/yielding.h"

namespace ringmaster::collectives {

/// The ranks of a generation as this engine needs them.
struct TcpMembership {
  std::int64_t generation = 1;
  int position = 0;                    // of this rank
  std::vector<std::string> endpoints;  // by position: "10.0.0.7:7001", "[::1]:80"
  std::string secret;                  // of the job
  std::vector<int> numbers = {};       // of the ranks by position, for messages; empty: positions
};

class Mesh {
 public:
  /// The listener, the segment of the abort and `kept` outlive the mesh. `kept` has connections of
  /// earlier generations and gets this one's; null: they end with the mesh.
  Mesh(TcpListener& listener, TcpMembership membership, Abort abort, KeptLinks* kept = nullptr);
  /// Peers may need what this rank sent last: it is theirs before the connections are let go,
  /// unless the generation is aborted or it takes longer than kSettleMax.
  ~Mesh();
  static constexpr Duration kSettleMax = std::chrono::seconds(5);
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  const TcpMembership& membership() const { return membership_; }
  const Alarm& alarm() const { return alarm_; }
  int size() const { return static_cast<int>(membership_.endpoints.size()); }
  int number(int position) const { return membership_.numbers[static_cast<std::size_t>(position)]; }

  /// Collectives that this rank has called, in all communicators on the mesh.
  std::uint64_t operations() const { return operations_; }
  void count_operation() { ++operations_; }

  Yielding& yielding() { return yielding_; }

  /// Begins to connect, unless that has been done. Errc::invalid: the table is no good.
  Result<void> want(int peer);
  /// The connection, or null: not yet. It stays where it is.
  Link* find(int peer);
  /// Goes on with those that are wanted, as far as that is possible without waiting.
  void step(Time now);
  /// What step() waits for; `at_most` is cut to the next attempt.
  void add_to(std::vector<pollfd>& fds, Duration* at_most) const;
  /// A rank that could not be reached for as long as `grace`. `what` begins the message.
  std::optional<Error> lost(const std::string& what, Duration grace) const;

 private:
  const std::string& endpoint(int peer) const {
    return membership_.endpoints[static_cast<std::size_t>(peer)];
  }
  Result<void> knock(int peer);
  void step_reunions();
  void wait_until_settled();

  TcpListener& listener_;
  TcpMembership membership_;
  Alarm alarm_;
  KeptLinks* kept_;
  std::uint64_t operations_ = 0;
  bool open_ = false;
  Yielding yielding_;
  std::map<int, Connector> connectors_;  // to higher positions, that are not connected yet
  std::map<int, Reunion> reunions_;
  std::map<int, std::unique_ptr<Link>> links_;
};

}  // namespace ringmaster::collectives

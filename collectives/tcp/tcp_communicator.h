// SPDX-License-Identifier: Apache-2.0
//
// Collectives between ranks on several hosts: a ring of TCP connections in the order of positions.
// Every rank speaks for itself; it connects to the next and is connected to by the previous one.
//
// n ranks, B bytes; every hop is a chunk of at most 128 KiB, and all hops go on at once:
//
//   all-reduce   large: reduce-scatter, then all-gather, 2(n-1) hops, 2B(n-1)/n bytes each way.
//                Slice s is reduced in the order s, s+1, .., s-1 of positions, so its bits follow
//                from (membership, count, type) alone. Small: all-gather, and each rank reduces in
//                the order 0, 1, ..: n-1 hops, B(n-1) bytes.
//   all-gather   n-1 hops, B(n-1) bytes
//   broadcast    a chain from the root, n-1 hops, B bytes
//   barrier      tokens, n-1 hops
//
// No rank completes before all have called the same (exchange.h), so that a mismatch is an error
// on all of them. Memory: two chunks beside the arrays, in a small all-reduce n times the array.
//
// Method: the ring of Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations" (2009).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/tcp/alarm.h"
#include "collectives/tcp/flow.h"
#include "collectives/tcp/link.h"
#include "collectives/tcp/tcp_listener.h"

namespace ringmaster::collectives {

/// The ranks of a generation as this engine needs them.
struct TcpMembership {
  std::int64_t generation = 1;
  int position = 0;                    // of this rank
  std::vector<std::string> endpoints;  // by position: "10.0.0.7:7001", "[::1]:80"
  std::string secret;                  // of the job
  std::vector<int> numbers = {};       // of the ranks by position, for messages; empty: positions
};

class TcpCommunicator : public Communicator {
 public:
  /// How long a lost peer may be explained by an abort: the agent of a rank that died says so
  /// within milliseconds, a silent host is given up after some 20 s.
  static constexpr Duration kGrace = std::chrono::seconds(30);

  /// The listener and the segment outlive the communicator; its connections end with it.
  TcpCommunicator(TcpListener& listener, TcpMembership membership, Abort abort);

  /// Waits for both neighbours; the first operation does it otherwise.
  Result<void> connect();
  void set_grace(Duration grace) { grace_ = grace; }

  int size() const override { return static_cast<int>(membership_.endpoints.size()); }
  int position() const override { return membership_.position; }
  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override;
  using Communicator::all_gather;
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction) override;
  Result<void> all_gather(const void* input, void* output, const Counts& counts,
                          Type type) override;
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          Type type) override;
  Result<void> barrier() override;

 private:
  Result<void> connect_for(const std::string& what);
  /// Carries out the operation; a failure is kept, for nothing can be in step after it.
  Result<void> run(const Call& call, Flow flow);
  /// What the public operations are made of; the call is what ranks compare.
  Result<void> gather(const Call& call, const void* input, void* output, const Counts& counts,
                      Type type);
  Result<void> reduce_all(const Call& call, const void* input, void* output, std::size_t count);
  Result<void> reduce_small(const Call& call, const void* input, void* output, std::size_t count);
  Result<void> reduce_large(const Call& call, const void* input, void* output, std::size_t count);
  Flow tokens_flow() const;
  Flow gather_flow(std::byte* output, const Counts& bytes) const;
  int back(std::size_t steps) const;

  TcpListener& listener_;
  TcpMembership membership_;
  Alarm alarm_;
  Duration grace_ = kGrace;
  std::unique_ptr<Link> next_, prev_;  // of two ranks only one is set: see links()
  std::uint64_t operation_ = 0;
  std::vector<std::byte> scratch_;
  std::optional<Error> failed_;
};

}  // namespace ringmaster::collectives

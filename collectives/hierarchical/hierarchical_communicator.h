// SPDX-License-Identifier: Apache-2.0
//
// Collectives of ranks on several hosts with several ranks a host: within a host through shared
// memory, between hosts over TCP, so that each byte crosses the network once for a host and not
// once for a rank.
//
//   all-reduce      the host reduces, and each rank has a slice of the sum; slices are all-reduced
//                   between the hosts, and gathered in the host. Where hosts have the same number
//                   of ranks the slices go side by side, rank i of a host with rank i of the
//                   others: as many connections a pair of hosts, and every rank's processor takes
//                   part. Small arrays, and hosts that differ: the lowest rank of each host
//                   alone
//   reduce-scatter, all-gather, broadcast
//                   the lowest rank of each host speaks for it
//   all-to-all      what stays in the host through its memory, the rest each to each
//   barrier         in the host, between the hosts, in the host
//   exchange        over TCP, also within a host
//
// Every operation begins with a look at the calls of the host's ranks, and ends with one at how the
// others came out of the part between the hosts: so a mismatch anywhere is an error on all ranks,
// and a rank whose neighbour failed does not take half a result. Between hosts the calls are
// compared by the lowest ranks; before slices and messages go side by side, in an operation of
// theirs.
//
// The bits follow from membership, host map, count, type and choice.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectives/shm/shm_communicator.h"
#include "collectives/tcp/tcp_communicator.h"

namespace ringmaster::collectives {

class HierarchicalCommunicator : public Communicator {
 public:
  /// `hosts` numbers the host of each position; positions of one are `local`'s, in their order.
  HierarchicalCommunicator(std::unique_ptr<ShmCommunicator> local, std::shared_ptr<Mesh> mesh,
                           std::vector<int> hosts);

  void set_choice(const schedules::Choice& choice);

  int size() const override { return static_cast<int>(hosts_.size()); }
  int position() const override { return position_; }
  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override;
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction) override;
  using Communicator::all_gather;
  Result<void> all_gather(const void* input, void* output, const Counts& counts,
                          Type type) override;
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          Type type) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override;
  Result<void> barrier() override;
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override;

 private:
  /// Compares the calls of the host's ranks; the part between hosts speaks for it from here on.
  /// `parts` are added up over the host, as parts_.
  Result<void> begin(const Call& call, std::uint64_t parts = 0);
  /// Carries `part` out on the ranks that have one, and tells all of the host how it ended.
  template <class Part>
  Result<void> between(bool takes_part, const Part& part) {
    return agree(takes_part ? part() : Result<void>());
  }
  /// The first of the host whose own end is a failure has found the words for all.
  Result<void> agree(const Result<void>& own);
  Result<void> tell_ends(const Result<void>& own);
  /// Keeps a failure of a part of the call under way: nothing can be in step after it.
  Result<void> fail(const Result<void>& end);

  Result<void> agree_on_parts(const Counts& give, const Counts& take);
  Result<void> reduce_by_leader(const void* input, void* output, std::size_t count, Type type,
                                Reduction reduction);
  Result<void> reduce_by_slices(const void* input, void* output, std::size_t count, Type type,
                                Reduction reduction);
  Result<void> broadcast_piece(std::byte* data, std::size_t count, Type type, int root);
  bool leads() const { return local_->position() == 0; }
  /// Elements of each host's positions together, and of this host's one by one.
  Counts by_host(const Counts& counts) const;
  Counts by_neighbour(const Counts& counts) const;
  /// Moves the positions' blocks from their order to that of hosts, or back.
  void to_host_order(const void* from, std::byte* to, const Counts& counts,
                     std::size_t width) const;
  void to_position_order(const std::byte* from, void* to, const Counts& counts,
                         std::size_t width) const;

  std::unique_ptr<ShmCommunicator> local_;
  std::shared_ptr<Mesh> mesh_;
  std::vector<int> hosts_;                 // by position
  std::vector<std::vector<int>> members_;  // positions of each host, by the order of their first
  int host_ = 0;                           // this rank's, in that order
  int position_;
  bool even_ = true;  // all hosts have the same number of ranks
  /// Between this rank and those in its place on the other hosts; of uneven hosts between the first
  /// ones, and null on the rest.
  std::unique_ptr<TcpCommunicator> between_;
  TcpCommunicator flat_;  // for messages
  std::vector<std::byte> scratch_, blocks_;
  Call call_;                // under way
  std::uint64_t parts_ = 0;  // of an all-to-all (parts.h)
  std::optional<Error> failed_;
};

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// Collectives between ranks on several hosts. Each operation is a plan (collectives/schedules),
// chosen by the size of the array, which the executor carries out over connections to the ranks
// that the plan names.
//
// n ranks, B bytes:
//
//   all-reduce      ring (large arrays), halving, tree, or a gather that everybody reduces for
//                   itself (small ones): schedules/plan.h says in which order each one reduces. The
//                   bits follow from (membership, count, type, choice) alone
//   reduce-scatter  ring: n-1 hops, B(n-1)/n bytes. Keeps as much memory as the input
//   all-gather      ring or doubling
//   all-to-all      each to each, after a look at what all give and take (parts.h)
//   broadcast       a chain or a binomial tree
//   barrier         tokens, ceil(log n) hops
//   exchange        messages between any two, beside the collectives
//
// No rank completes before all have called the same (executor.h), so that a mismatch is an error on
// all of them. Memory beside the arrays: a chunk for each rank that sends something to be reduced,
// in a small all-reduce n times the array.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/schedules/choose.h"
#include "collectives/schedules/dependencies.h"
#include "collectives/tcp/job.h"
#include "collectives/tcp/mesh.h"

namespace ringmaster::collectives {

class TcpCommunicator : public Communicator {
 public:
  /// How long a lost peer may be explained by an abort: the agent of a rank that died says so
  /// within milliseconds, a silent host is given up after some 20 s.
  static constexpr Duration kGrace = std::chrono::seconds(30);

  /// As a mesh of its own (mesh.h).
  TcpCommunicator(TcpListener& listener, TcpMembership membership, Abort abort,
                  KeptLinks* kept = nullptr);
  /// Of some positions of the mesh, this rank's among them. One thread uses all of a mesh, and no
  /// two positions have more than one such communicator in common.
  TcpCommunicator(std::shared_ptr<Mesh> mesh, std::vector<int> members);

  /// Waits for both neighbours; the first operation does it otherwise.
  Result<void> connect();
  void set_grace(Duration grace) { grace_ = grace; }
  void set_choice(const schedules::Choice& choice) { choice_ = choice; }

  // For operations that are parts of larger ones, of more ranks.
  /// The call that ranks compare from now on.
  void speak_for(const Call& call) { spoken_ = call; }
  /// Averages are over so many ranks, of whose inputs some are sums already.
  void average_over(int ranks) { averaged_ = ranks; }
  /// Tells the others that the call is a mismatch, in these words, which they return.
  Error refuse(const Call& call, const std::string& words);

  int size() const override { return static_cast<int>(members_.size()); }
  int position() const override { return self_; }
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
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override;

 private:
  /// Carries out the job; a failure is kept, for nothing can be in step after it.
  Result<void> run(Job& job);
  Result<void> execute(Job& job);
  Result<void> connect_for(const Call& call);
  /// Carries out the plan on blocks; with tokens where it needs them.
  Result<void> run_plan(Call call, schedules::Plan plan, const std::vector<Stretch>& blocks,
                        const void* input, void* output, Reduction reduction = RINGMASTER_SUM,
                        std::size_t window = 0);
  Result<void> agree_on_parts(const Call& call, const Counts& give, const Counts& take);
  const schedules::Ordered& ordered(const schedules::Plan& plan);
  Result<void> reduce_gathered(const Call& call, const schedules::Plan& plan, const void* input,
                               void* output);
  /// Sends to this rank itself, which it also receives.
  int flat(int peer) const { return members_[static_cast<std::size_t>(peer)]; }

  std::shared_ptr<Mesh> mesh_;
  std::vector<int> members_;  // positions in the mesh
  int self_;                  // index among them
  Duration grace_ = kGrace;
  schedules::Choice choice_;
  std::optional<Call> spoken_;
  int averaged_;
  bool connected_ = false;                                // to the neighbours
  std::map<std::vector<int>, schedules::Ordered> plans_;  // made before; by all that makes them
  std::vector<std::byte> scratch_;
  std::optional<Error> failed_;
};

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// Collectives by Open MPI, over whatever network it knows, between ranks that an MPI launcher
// started.
//
// Not elastic: when a rank is lost, MPI's launcher ends all of them; there is one generation.
// Mismatched calls are found before MPI hears of them (agreement.h). After a time-out MPI may still
// write into the arrays; end the program.
//
// The order in which elements are reduced is MPI's: the same call on the same ranks and hosts
// repeats its bits as far as MPI does.
//
// Thread rules: one thread at a time.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "collectives/agreement.h"
#include "collectives/mpi/mpi_types.h"
#include "collectives/transfer_agreement.h"

namespace ringmaster::collectives {

class MpiCommunicator : public Communicator {
 public:
  /// What MPI is given at a time; its counts are ints.
  static constexpr std::size_t kPieceMax = 1 << 28;
  /// What a rank that keeps nothing of a broadcast takes at a time.
  static constexpr std::size_t kScratchBytes = 4 << 20;

  /// Of all ranks of MPI_COMM_WORLD, which all make it. MPI has been initialised.
  static Result<std::unique_ptr<MpiCommunicator>> make();
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator() override;

  using Communicator::all_gather;
  int size() const override { return static_cast<int>(numbers_.size()); }
  int position() const override { return position_; }
  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override;
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction) override;
  Result<void> all_gather(const void* input, void* output, const Counts& counts,
                          Type type) override;
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          Type type) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override;
  Result<void> barrier() override;
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override;

 private:
  MpiCommunicator(MPI_Comm raw, std::vector<int> numbers, int position,
                  std::unique_ptr<MpiOperations> operations);

  /// Agrees on the call, then runs it; a failure is kept, for nothing can be in step after it.
  Result<void> run(const Call& call, bool has_array,
                   const std::function<Result<void>(const Agreed&)>& body);
  /// Begins one operation of MPI and waits for it.
  Result<void> wait_for(const std::function<int(MPI_Request*)>& begin);
  Result<void> transfer(const Transfers& sends, const Transfers& receives);
  /// Heads of transfers, by way of memory that MPI may keep.
  Result<void> transfer_heads(const Transfers& sends, const Transfers& receives);
  /// Memory of our own that MPI reads or writes while it works: kept until the next operation, and
  /// for ever after one that did not end.
  std::byte* lend(std::size_t bytes);
  /// Numbers in such memory: a count for each position, or the place of its part.
  const int* lend_counts(const Counts& counts);
  const int* lend_places(const Counts& counts);

  MPI_Comm raw_;
  std::vector<int> numbers_;
  int position_;
  std::unique_ptr<MpiOperations> operations_;
  Agreement agreement_;
  std::vector<std::vector<std::byte>> lent_;
  std::optional<Error> failed_;
};

}  // namespace ringmaster::collectives

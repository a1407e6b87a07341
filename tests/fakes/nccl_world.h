// SPDX-License-Identifier: Apache-2.0
//
// The ranks of one communicator of the NCCL stand-in, and how their work meets.
//
// The n-th collective of a rank meets the n-th of the others, the n-th send to a rank its n-th
// receive from there. Work that does not fit together (another operation, count, type) is never
// done, as NCCL's would not be.
//
// Thread rules: under the lock of the stand-ins.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/fakes/cuda_streams.h"

namespace ringmaster::fakes {

enum class Kind { all_reduce, reduce, reduce_scatter, all_gather, broadcast, send, receive };

/// One call of NCCL. Types and reductions are NCCL's numbers.
struct NcclWork {
  Kind kind = Kind::all_reduce;
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t count = 0;
  int type = 0;
  int reduction = 0;
  int root = 0;  // or the other rank of a send or receive
  void* stream = nullptr;
};

class NcclWorld {
 public:
  explicit NcclWorld(int ranks) : ranks_(ranks), collectives_(index(ranks)) {}

  int ranks() const { return ranks_; }
  /// The rank's part in the work: to be called until it returns true.
  StreamWork join(int rank, const NcclWork& work);

  int arrived = 0;                  // ranks that have come to it
  int finalized = 0;                // ranks that have said farewell
  std::map<int, int> device_ranks;  // a device, and the rank on it

 private:
  /// A collective of all ranks.
  struct Meeting {
    std::vector<NcclWork> work;
    std::vector<bool> here;
    std::vector<std::vector<std::byte>> results;
    int arrived = 0;
    int computed = 0;
    bool fits = true;
  };
  struct Message {
    NcclWork send, receive;
    bool sent = false, asked = false, taken = false;
  };
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  bool meet(Meeting& meeting, int rank, const NcclWork& work, bool& computed);
  static bool pass(Message& message, const NcclWork& work);

  int ranks_;
  std::vector<std::size_t> collectives_;  // by rank: how many it has begun
  std::map<std::size_t, std::shared_ptr<Meeting>> meetings_;
  std::map<std::pair<int, int>, std::pair<std::size_t, std::size_t>> transfers_;  // sent, asked
  std::map<std::tuple<int, int, std::size_t>, std::shared_ptr<Message>> messages_;
};

}  // namespace ringmaster::fakes

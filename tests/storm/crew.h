// SPDX-License-Identifier: Apache-2.0
//
// The ranks of one engine as threads that stand for their processes, for storms without deaths.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/shm/arena.h"

namespace ringmaster::storm {

class Crew {
 public:
  /// `arena` is null where the engine has none.
  using Body = std::function<void(collectives::Communicator& ring, collectives::Arena* arena)>;

  virtual ~Crew() = default;
  virtual int size() const = 0;
  /// Whether each rank is a process of its own, and this one of them.
  virtual bool apart() const { return false; }
  /// Runs the body on a thread for each rank, once; of ranks that are apart for this one.
  virtual void run(const Body& body) = 0;
  /// Ends the generation: the others need not wait for a rank that has found a fault.
  virtual void abort() = 0;
};

struct Engine {
  const char* name;
  /// Of fifty calls each, in an ordinary test run: ten thousand calls, fewer on the stand-ins.
  std::uint64_t stories;
  /// How many ranks there are, on which hosts, and what they choose follows from the seed.
  std::unique_ptr<Crew> (*make)(std::uint64_t seed);
};

/// All engines that need no launcher of their own; in a program that MPI's has started that one.
const std::vector<Engine>& engines();

}  // namespace ringmaster::storm

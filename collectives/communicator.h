// SPDX-License-Identifier: Apache-2.0
//
// The object on which the ranks of one generation exchange arrays. One interface for all engines:
// shm inside a host, tcp between hosts, and a world of one that needs none.
//
// Every rank calls the same operations in the same order; a call that differs is an error on all
// ranks that names both calls (Errc::mismatch). When the generation ends, every operation returns
// Errc::generation_changed, whatever it waits for, and its outputs are undefined. The order in
// which an element is reduced follows from membership, count and type alone (inside a host it is
// that of the positions), so the result has the same bits on all ranks, and a repeat repeats it.
//
// Thread rules: one thread at a time; the abort comes from outside and is noticed by all waits.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "collectives/ringmaster_collectives.h"

namespace ringmaster::collectives {

using Type = ringmaster_type;
using Reduction = ringmaster_reduction;

/// Bytes of one element.
std::size_t size_of(Type type);

/// An array that goes to another position, or comes from it.
struct Transfer {
  void* data = nullptr;  // read only, where it is sent
  std::size_t count = 0;
  Type type = RINGMASTER_FLOAT32;
  int peer = 0;
};

/// What a position sends itself: the n-th such send is what the n-th such receive gets. Nobody else
/// could send what is missing, so an unmatched one is an error.
Result<void> exchange_with_self(const std::vector<Transfer>& sends,
                                const std::vector<Transfer>& receives, int position);

/// One array of a group of all-reduces.
struct Reduce {
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t count = 0;
  Type type = RINGMASTER_FLOAT32;
  Reduction reduction = RINGMASTER_SUM;
};

/// Elements of each position, in order.
using Counts = std::vector<std::size_t>;
std::size_t total(const Counts& counts);
/// Elements before the position's own.
std::size_t before(const Counts& counts, int position);

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int size() const = 0;
  virtual int position() const = 0;

  virtual Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                                  Reduction reduction) = 0;
  /// Each position's part (`counts` of them, in order) of the reduction of all inputs. In place:
  /// `output` is the own part of `input`.
  virtual Result<void> reduce_scatter(const void* input, void* output, const Counts& counts,
                                      Type type, Reduction reduction) = 0;
  /// The inputs of all (`counts` elements), one after the other. In place: `input` is the own part
  /// of `output`.
  virtual Result<void> all_gather(const void* input, void* output, const Counts& counts,
                                  Type type) = 0;
  /// `input` has a part for each position (`give`), `output` one from each (`take`): what a
  /// position takes from another is as much as that one gives it. They do not overlap.
  virtual Result<void> all_to_all(const void* input, const Counts& give, void* output,
                                  const Counts& take, Type type) = 0;
  /// `data` may be null where the position is not the root: takes part and keeps nothing.
  virtual Result<void> broadcast(void* data, std::size_t count, Type type, int root) = 0;
  Result<void> all_gather(const void* input, void* output, std::size_t count, Type type) {
    return all_gather(input, output, Counts(static_cast<std::size_t>(size()), count), type);
  }
  virtual Result<void> barrier() = 0;

  /// Sends and receives, all at once: the n-th send to a position meets its n-th receive from this
  /// one, of the same count and type. Only those two positions take part, unlike in the operations
  /// above; between two of those, the positions may call it as often as they like. A send ends when
  /// its array may be changed.
  virtual Result<void> exchange(const std::vector<Transfer>& sends,
                                const std::vector<Transfer>& receives) = 0;
  /// Several all-reduces as one call: engines that can, start them together.
  virtual Result<void> all_reduce_group(const std::vector<Reduce>& group);

  /// How long one operation waits for the others before it says who is missing. Half an hour by
  /// default: longer than any evaluation or save between two steps, shorter than a night.
  void set_timeout(Duration timeout) { timeout_ = timeout; }
  static constexpr Duration kDefaultTimeout = std::chrono::minutes(30);
  Duration timeout() const { return timeout_; }

 protected:
  Duration timeout_ = kDefaultTimeout;
};

}  // namespace ringmaster::collectives

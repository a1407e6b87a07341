// SPDX-License-Identifier: Apache-2.0
//
// One call of a storm: random operations that all ranks do in the same order, drawn from a seed, so
// that a failure is repeated by its seed alone.
//
// Sizes lie where engines change their ways (payloads of cache lines, chunks, mailboxes, the paths
// of an all-reduce) and anywhere between; most are small, so that ten thousand take seconds.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "collectives/communicator.h"

namespace ringmaster::storm {

using collectives::Counts;
using collectives::Reduction;
using collectives::Type;

enum class Kind {
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  broadcast,
  barrier,
  exchange,  // messages between any two
  group      // all-reduces, then messages
};

/// Where a rank has its arrays. Engines without memory of their own have ordinary memory for all.
enum class Place { ordinary, allocated, registered };

/// What the elements are.
enum class Values {
  small,  // whole numbers, of which every reduction of every type is exact
  wide    // anything: whole numbers that wrap around, floats that are rounded
};

struct Call {
  Kind kind = Kind::barrier;
  Type type = RINGMASTER_FLOAT32;
  Reduction reduction = RINGMASTER_SUM;
  Values values = Values::small;
  int root = 0;
  bool in_place = false;
  std::uint64_t seed = 0;          // of the elements
  Counts counts = {};              // by position; all_reduce and broadcast take the first
  std::vector<Counts> matrix{};    // of all_to_all, exchange and group: [from][to]
  std::vector<Call> reduces = {};  // of a group
  std::vector<Place> places = {};  // by position
};

/// The same for all ranks that draw from the same numbers. No array of a rank's own part is longer
/// than `bytes_max`.
Call draw_call(Random& random, int ranks, std::size_t bytes_max);

/// "all_reduce of 12 float32 (sum), in place, registered": what a person needs to read.
std::string text_of(const Call& call);

}  // namespace ringmaster::storm

// SPDX-License-Identifier: Apache-2.0
//
// An algorithm as data: what each position sends, receives and reduces, and in which order.
//
// The array is cut into blocks, whose sizes are no matter here. A plan is made of rounds; in each a
// position has a few steps. The order of a position's steps is what they mean: the result is as if
// they were done one after the other. How much of that may go on at once follows from the blocks
// that they touch (dependencies.h), so the same list serves an executor that streams chunks, a
// checker that looks for deadlocks, and a simulator that adds up time.
//
// Between two positions steps are matched by their order: the n-th send to a position meets its
// n-th receive from this one. A step without blocks is a token: it says "I have called", and goes
// out when all earlier tokens have come in.
//
//   ring        blocks go round: reduce-scatter, all-gather, or one after the other. Patarasuk and
//               Yuan (2009): the least bytes, n-1 or 2(n-1) rounds
//   halving     recursive halving, then doubling: Rabenseifner (2004). The least bytes in 2 log n
//               rounds; what is above a power of two hands its array to a neighbour first
//   tree        two binary trees at once, each for half of the array; who is inside one is a leaf
//               of the other: Sanders, Speck and Traeff (2009). Streams in segments
//   doubling    all-gather in ceil(log n) rounds, for any n: Bruck et al. (1997); pairs that give
//   each
//               other what they have where n is a power of two. All-reduce: pairs exchange the
//               whole array, at twice the distance in each round: Thakur, Rabenseifner and Gropp
//               (2005)
//   gather      all-reduce as an all-gather by doubling; everybody reduces for itself, in the order
//               of positions. For small arrays: the fewest rounds
//   chain       broadcast from one to the next, in segments
//   binomial    broadcast in ceil(log n) rounds
//   pairwise    all-to-all: each to each, at growing distance
//   dissemination  a barrier of tokens in ceil(log n) rounds: Hensgen, Finkel and Manber (1988)
//
// Pure: the same on all ranks, who each make their own part of it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringmaster::collectives::schedules {

enum class Operation { all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, barrier };
enum class Algorithm {
  ring,
  halving,
  tree,
  gather,
  doubling,
  chain,
  binomial,
  pairwise,
  dissemination
};

const char* name_of(Operation operation);
const char* name_of(Algorithm algorithm);
std::optional<Operation> operation_named(std::string_view name);
std::optional<Algorithm> algorithm_named(std::string_view name);
/// What can carry out the operation, the simplest first.
const std::vector<Algorithm>& algorithms_of(Operation operation);

enum class Action {
  send,
  receive,  // over what is there
  reduce,   // received and reduced with what is there
};

struct Step {
  Action action = Action::send;
  int peer = 0;
  int first = 0;               // blocks [first, first + blocks)
  int blocks = 0;              // 0: a token
  bool arrived_first = false;  // reduce: the operand that arrives stands left of the own one
  bool complete = false;       // reduce: now every position's contribution is in
  friend bool operator==(const Step&, const Step&) = default;
};
using Steps = std::vector<Step>;

struct Plan {
  Operation operation = Operation::barrier;
  Algorithm algorithm = Algorithm::dissemination;
  int ranks = 1;
  int root = 0;         // broadcast
  int segments = 1;     // tree and chain: pieces that follow one another
  bool tokens = false;  // with a dissemination beside it, so that nobody ends before all have begun
};

/// Parts of the array. All-to-all: n * n, block from * n + to; else gather, ring, and doubling that
/// gathers: one for each position.
int block_count(const Plan& plan);
int round_count(const Plan& plan);
/// Adds what a position does in a round. Its sends need only what came in in earlier rounds.
void add_round(const Plan& plan, int position, int round, Steps& steps);
/// All rounds of a position.
Steps steps_of(const Plan& plan, int position);

}  // namespace ringmaster::collectives::schedules

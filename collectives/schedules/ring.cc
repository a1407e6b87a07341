// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/rounds.h"

namespace ringmaster::collectives::schedules {

namespace {

/// `value` is above -2 * ranks.
int around(int value, int ranks) {
  return (value + 2 * ranks) % ranks;
}

}  // namespace

// All-reduce: block b starts at position b and is whole at b-1, n-1 hops later; then it goes round
// once more. Reduce-scatter: it starts at b+1, so that it is whole at b.
void add_ring_round(const Plan& plan, int position, int round, Steps& steps) {
  const int n = plan.ranks;
  const bool scatters = plan.operation == Operation::reduce_scatter;
  const bool reduces = scatters || (plan.operation == Operation::all_reduce && round < n - 1);
  const int turn = round + (scatters ? 1 : 0);
  const int sent = around(position - turn, n);
  const int arrived = around(position - turn - 1, n);
  steps.push_back({Action::send, around(position + 1, n), sent, 1});
  steps.push_back({reduces ? Action::reduce : Action::receive, around(position - 1, n), arrived, 1,
                   reduces, reduces && round == n - 2});
}

// Position p holds blocks p .. p + 2^k - 1 (round the corner) before round k, and hands them back.
// Where n is a power of two it holds the 2^k aligned ones around p, and gives them to the one that
// has the others: a connection on which data go both ways carries the acknowledgements with them.
void add_doubling_round(int ranks, int position, int round, Steps& steps) {
  const int distance = 1 << round;
  if (power_below(ranks) == ranks) {
    const int partner = position ^ distance;
    steps.push_back({Action::send, partner, position / distance * distance, distance});
    steps.push_back({Action::receive, partner, partner / distance * distance, distance});
    return;
  }
  const int count = distance < ranks - distance ? distance : ranks - distance;
  const auto add = [&](Action action, int peer, int first) {
    const int head = first + count <= ranks ? count : ranks - first;
    steps.push_back({action, peer, first, head});
    if (head < count) steps.push_back({action, peer, 0, count - head});
  };
  const int from = around(position + distance, ranks);
  add(Action::send, around(position - distance, ranks), position);
  add(Action::receive, from, from);
}

void add_pairwise_round(int ranks, int position, int round, Steps& steps) {
  const int to = around(position + round + 1, ranks);
  const int from = around(position - round - 1, ranks);
  steps.push_back({Action::send, to, position * ranks + to, 1});
  steps.push_back({Action::receive, from, from * ranks + position, 1});
}

void add_dissemination_round(int ranks, int position, int round, Steps& steps) {
  if (round >= rounds_to_reach(ranks)) return;
  const int distance = 1 << round;
  const bool pairs = power_below(ranks) == ranks;  // as in a gather
  const int to = pairs ? position ^ distance : around(position + distance, ranks);
  const int from = pairs ? to : around(position - distance, ranks);
  steps.push_back({Action::send, to});
  steps.push_back({Action::receive, from});
}

// Counted from the root.
void add_chain_round(const Plan& plan, int position, int round, Steps& steps) {
  const int n = plan.ranks;
  const int place = around(position - plan.root, n);
  const auto inside = [&](int segment) { return segment >= 0 && segment < plan.segments; };
  if (place < n - 1 && inside(round - place)) {
    steps.push_back({Action::send, around(position + 1, n), round - place, 1});
  }
  if (place > 0 && inside(round - place + 1)) {
    steps.push_back({Action::receive, around(position - 1, n), round - place + 1, 1});
  }
}

void add_binomial_round(const Plan& plan, int position, int round, Steps& steps) {
  const int n = plan.ranks, distance = 1 << round;
  const int place = around(position - plan.root, n);
  if (place < distance && place + distance < n) {
    steps.push_back({Action::send, around(position + distance, n), 0, 1});
  }
  if (place >= distance && place < 2 * distance) {
    steps.push_back({Action::receive, around(position - distance, n), 0, 1});
  }
}

int rounds_to_reach(int ranks) {
  int rounds = 0;
  while ((1 << rounds) < ranks) ++rounds;
  return rounds;
}

int power_below(int ranks) {
  int power = 1;
  while (2 * power <= ranks) power *= 2;
  return power;
}

}  // namespace ringmaster::collectives::schedules

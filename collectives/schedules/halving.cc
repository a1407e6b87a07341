// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/rounds.h"

namespace ringmaster::collectives::schedules {

namespace {

/// n = power + extra. Of the first 2 * extra positions the even ones hand their array to the next
/// one, and get the result from it; the others take part, numbered densely.
struct Halving {
  int power, extra;

  bool hands_over(int position) const { return position < 2 * extra && position % 2 == 0; }
  int part_of(int position) const { return position < 2 * extra ? position / 2 : position - extra; }
  int position_of(int part) const { return part < extra ? 2 * part + 1 : part + extra; }
};

Halving halving_of(int ranks) {
  const int power = power_below(ranks);
  return {power, ranks - power};
}

/// The first or last round of all, where the array of `blocks` is handed over, or comes back.
void add_hand_over(const Halving& halving, int position, bool first, int blocks, Steps& steps) {
  if (position >= 2 * halving.extra) return;
  const bool hands = halving.hands_over(position);
  const int peer = hands ? position + 1 : position - 1;
  const bool sends = hands == first;
  const Action action = sends ? Action::send : first ? Action::reduce : Action::receive;
  steps.push_back({action, peer, 0, blocks, !sends && first});
}

/// In a round of halving the own range of blocks loses one half: [first, first + 2 * distance) is
/// what both partners still had.
void add_exchange(const Halving& halving, int position, int distance, bool reduces, Steps& steps) {
  const int part = halving.part_of(position);
  const int partner = part ^ distance;
  const int own = part / distance * distance, other = partner / distance * distance;
  const int peer = halving.position_of(partner);
  const bool complete = reduces && distance == 1;
  // Halving keeps the own half and gives the other; doubling goes the same way back.
  steps.push_back({Action::send, peer, reduces ? other : own, distance});
  steps.push_back({reduces ? Action::reduce : Action::receive, peer, reduces ? own : other,
                   distance, reduces && partner < part, complete});
}

}  // namespace

int halving_rounds(int ranks) {
  const Halving halving = halving_of(ranks);
  return 2 * rounds_to_reach(halving.power) + (halving.extra > 0 ? 2 : 0);
}

// Each block is reduced at one position, and comes from there to the others: same bits on all.
void add_halving_round(int ranks, int position, int round, Steps& steps) {
  const Halving halving = halving_of(ranks);
  const int levels = rounds_to_reach(halving.power);
  if (halving.extra > 0) {
    const bool first = round == 0, last = round == 2 * levels + 1;
    if (first || last) return add_hand_over(halving, position, first, halving.power, steps);
    if (halving.hands_over(position)) return;
    --round;
  }
  const bool reduces = round < levels;
  const int distance = reduces ? halving.power >> (round + 1) : 1 << (round - levels);
  add_exchange(halving, position, distance, reduces, steps);
}

int swap_rounds(int ranks) {
  const Halving halving = halving_of(ranks);
  return rounds_to_reach(halving.power) + (halving.extra > 0 ? 2 : 0);
}

// Both partners reduce the same two operands, the lower part's first: same bits on all.
void add_swap_round(int ranks, int position, int round, Steps& steps) {
  const Halving halving = halving_of(ranks);
  const int levels = rounds_to_reach(halving.power);
  if (halving.extra > 0) {
    const bool first = round == 0, last = round == levels + 1;
    if (first || last) return add_hand_over(halving, position, first, 1, steps);
    if (halving.hands_over(position)) return;
    --round;
  }
  const int part = halving.part_of(position), partner = part ^ (1 << round);
  const int peer = halving.position_of(partner);
  steps.push_back({Action::send, peer, 0, 1});
  steps.push_back({Action::reduce, peer, 0, 1, partner < part, round == levels - 1});
}

}  // namespace ringmaster::collectives::schedules

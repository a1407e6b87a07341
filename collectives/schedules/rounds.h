// SPDX-License-Identifier: Apache-2.0
//
// The rounds of each algorithm of plan.h, which says what they are. Only plan.cc includes it.
//
// Pure.
#pragma once

#include "collectives/schedules/plan.h"

namespace ringmaster::collectives::schedules {

/// Rounds in which a word that doubles its holders reaches all: ceil(log2 n).
int rounds_to_reach(int ranks);
/// The largest power of two that is not above.
int power_below(int ranks);
int halving_rounds(int ranks);
/// Of an all-reduce by doubling.
int swap_rounds(int ranks);
int tree_rounds(int ranks, int segments);

void add_ring_round(const Plan& plan, int position, int round, Steps& steps);
void add_halving_round(int ranks, int position, int round, Steps& steps);
void add_swap_round(int ranks, int position, int round, Steps& steps);
void add_tree_round(const Plan& plan, int position, int round, Steps& steps);
void add_doubling_round(int ranks, int position, int round, Steps& steps);
void add_chain_round(const Plan& plan, int position, int round, Steps& steps);
void add_binomial_round(const Plan& plan, int position, int round, Steps& steps);
void add_pairwise_round(int ranks, int position, int round, Steps& steps);
void add_dissemination_round(int ranks, int position, int round, Steps& steps);

}  // namespace ringmaster::collectives::schedules

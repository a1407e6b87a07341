// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "collectives/schedules/rounds.h"

namespace ringmaster::collectives::schedules {

namespace {

constexpr std::array<std::pair<Operation, const char*>, 6> kOperationNames = {
    {{Operation::all_reduce, "all_reduce"},
     {Operation::reduce_scatter, "reduce_scatter"},
     {Operation::all_gather, "all_gather"},
     {Operation::all_to_all, "all_to_all"},
     {Operation::broadcast, "broadcast"},
     {Operation::barrier, "barrier"}}};
constexpr std::array<std::pair<Algorithm, const char*>, 9> kAlgorithmNames = {
    {{Algorithm::ring, "ring"},
     {Algorithm::halving, "halving"},
     {Algorithm::tree, "tree"},
     {Algorithm::gather, "gather"},
     {Algorithm::doubling, "doubling"},
     {Algorithm::chain, "chain"},
     {Algorithm::binomial, "binomial"},
     {Algorithm::pairwise, "pairwise"},
     {Algorithm::dissemination, "dissemination"}}};

template <class Names, class Value>
const char* name_in(const Names& names, Value value) {
  const auto found = std::ranges::find(names, value, [](const auto& one) { return one.first; });
  CHECK(found != names.end());
  return found->second;
}

template <class Value, class Names>
std::optional<Value> value_in(const Names& names, std::string_view name) {
  const auto found =
      std::ranges::find_if(names, [&](const auto& one) { return one.second == name; });
  if (found == names.end()) return {};
  return found->first;
}

bool reduces_by_doubling(const Plan& plan) {
  return plan.operation == Operation::all_reduce && plan.algorithm == Algorithm::doubling;
}

int data_rounds(const Plan& plan) {
  const int n = plan.ranks;
  switch (plan.algorithm) {
    case Algorithm::ring:
      return plan.operation == Operation::all_reduce ? 2 * (n - 1) : n - 1;
    case Algorithm::halving:
      return halving_rounds(n);
    case Algorithm::tree:
      return tree_rounds(n, plan.segments);
    case Algorithm::doubling:
      return reduces_by_doubling(plan) ? swap_rounds(n) : rounds_to_reach(n);
    case Algorithm::gather:
    case Algorithm::binomial:
      return rounds_to_reach(n);
    case Algorithm::chain:
      return plan.segments + n - 2;
    case Algorithm::pairwise:
      return n - 1;
    case Algorithm::dissemination:
      return 0;
  }
  CHECK(false);
}

bool has_tokens(const Plan& plan) {
  return plan.tokens || plan.algorithm == Algorithm::dissemination;
}

}  // namespace

const char* name_of(Operation operation) {
  return name_in(kOperationNames, operation);
}

const char* name_of(Algorithm algorithm) {
  return name_in(kAlgorithmNames, algorithm);
}

std::optional<Operation> operation_named(std::string_view name) {
  return value_in<Operation>(kOperationNames, name);
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
  return value_in<Algorithm>(kAlgorithmNames, name);
}

const std::vector<Algorithm>& algorithms_of(Operation operation) {
  static const std::vector<Algorithm> reduce = {
      Algorithm::ring, Algorithm::halving, Algorithm::tree, Algorithm::gather, Algorithm::doubling};
  static const std::vector<Algorithm> scatter = {Algorithm::ring};
  static const std::vector<Algorithm> gather = {Algorithm::ring, Algorithm::doubling};
  static const std::vector<Algorithm> exchange = {Algorithm::pairwise};
  static const std::vector<Algorithm> broadcast = {Algorithm::chain, Algorithm::binomial};
  static const std::vector<Algorithm> barrier = {Algorithm::dissemination};
  switch (operation) {
    case Operation::all_reduce:
      return reduce;
    case Operation::reduce_scatter:
      return scatter;
    case Operation::all_gather:
      return gather;
    case Operation::all_to_all:
      return exchange;
    case Operation::broadcast:
      return broadcast;
    case Operation::barrier:
      return barrier;
  }
  CHECK(false);
}

int block_count(const Plan& plan) {
  switch (plan.algorithm) {
    case Algorithm::ring:
    case Algorithm::gather:
      return plan.ranks;
    case Algorithm::doubling:
      return reduces_by_doubling(plan) ? 1 : plan.ranks;
    case Algorithm::halving:
      return power_below(plan.ranks);
    case Algorithm::tree:
      return 2 * plan.segments;
    case Algorithm::chain:
      return plan.segments;
    case Algorithm::binomial:
      return 1;
    case Algorithm::pairwise:
      return plan.ranks * plan.ranks;
    case Algorithm::dissemination:
      return 0;
  }
  CHECK(false);
}

int round_count(const Plan& plan) {
  if (plan.ranks == 1) return 0;
  const int data = data_rounds(plan);
  return has_tokens(plan) ? std::max(data, rounds_to_reach(plan.ranks)) : data;
}

void add_round(const Plan& plan, int position, int round, Steps& steps) {
  CHECK(position >= 0 && position < plan.ranks && round >= 0);
  if (has_tokens(plan)) add_dissemination_round(plan.ranks, position, round, steps);
  if (round >= data_rounds(plan)) return;
  switch (plan.algorithm) {
    case Algorithm::ring:
      return add_ring_round(plan, position, round, steps);
    case Algorithm::halving:
      return add_halving_round(plan.ranks, position, round, steps);
    case Algorithm::tree:
      return add_tree_round(plan, position, round, steps);
    case Algorithm::doubling:
      if (reduces_by_doubling(plan)) return add_swap_round(plan.ranks, position, round, steps);
      return add_doubling_round(plan.ranks, position, round, steps);
    case Algorithm::gather:
      return add_doubling_round(plan.ranks, position, round, steps);
    case Algorithm::chain:
      return add_chain_round(plan, position, round, steps);
    case Algorithm::binomial:
      return add_binomial_round(plan, position, round, steps);
    case Algorithm::pairwise:
      return add_pairwise_round(plan.ranks, position, round, steps);
    case Algorithm::dissemination:
      return;
  }
}

Steps steps_of(const Plan& plan, int position) {
  Steps steps;
  for (int round = 0; round < round_count(plan); ++round) add_round(plan, position, round, steps);
  return steps;
}

}  // namespace ringmaster::collectives::schedules

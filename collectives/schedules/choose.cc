// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "collectives/schedules/rounds.h"

namespace ringmaster::collectives::schedules {

namespace {

// Pieces of half an array that follow one another through a tree. More of them cost more steps than
// their shorter way in saves.
constexpr int kSegmentsMax = 64;
// A ring keeps each link busy with one stream all the time; in halving partners change, and links
// are idle where one round waits for another. Measured with 4 hosts at 1 Gbit/s, from 1 MiB on: 5
// to 7 %.
constexpr double kHalvingIdle = 1.05;

/// What a plan is made of: rounds that wait for one another, and the bytes that pass the busiest
/// NIC, or the busiest processor, one after the other.
struct Load {
  double rounds = 0, sent = 0, reduced = 0;
};

Load all_reduce_load(const Plan& plan, double bytes) {
  const double n = plan.ranks;
  const double share = bytes * (n - 1) / n;
  if (plan.algorithm == Algorithm::ring) return {2 * (n - 1), 2 * share, share};
  if (plan.algorithm == Algorithm::gather) {
    return {static_cast<double>(rounds_to_reach(plan.ranks)), (n - 1) * bytes, n * bytes};
  }
  const double power = power_below(plan.ranks);
  // Who gets an array from a neighbour first passes twice as much as the others.
  const double extra = power < n ? bytes : 0;
  if (plan.algorithm == Algorithm::doubling) {
    const double passed = rounds_to_reach(static_cast<int>(power)) * bytes;
    return {static_cast<double>(swap_rounds(plan.ranks)), passed + 2 * extra, passed + extra};
  }
  if (plan.algorithm == Algorithm::halving) {
    const double part = bytes * (power - 1) / power;
    return {static_cast<double>(halving_rounds(plan.ranks)), 2 * part * kHalvingIdle + 2 * extra,
            part + extra};
  }
  // Each position is inside one tree, with two children, and a leaf of the other: in a round it
  // sends at most four segments, and reduces two; of two positions each has one child.
  const double rounds = tree_rounds(plan.ranks, plan.segments);
  const double segment = bytes / 2 / plan.segments;
  const double children = plan.ranks == 2 ? 1 : 2;
  return {rounds, rounds * 2 * children * segment, rounds * children * segment};
}

Load load_of(const Plan& plan, double bytes) {
  const double n = plan.ranks, rounds = round_count(plan);
  switch (plan.operation) {
    case Operation::all_reduce:
      return all_reduce_load(plan, bytes);
    case Operation::reduce_scatter:
      return {rounds, bytes * (n - 1) / n, bytes * (n - 1) / n};
    case Operation::all_gather:
    case Operation::all_to_all:
      return {rounds, bytes * (n - 1) / n};
    case Operation::broadcast:
      // Chunks of a chain follow one another closely; the root of a binomial tree sends to many.
      return {rounds,
              plan.algorithm == Algorithm::chain ? bytes : bytes * rounds_to_reach(plan.ranks)};
    case Operation::barrier:
      return {rounds};
  }
  CHECK(false);
}

/// How many segments cost a tree the least time.
int segments_of(int ranks, double bytes, const Cost& cost) {
  const double depth = tree_rounds(ranks, 0);
  const double best = std::sqrt(depth * 2 * bytes * cost.byte_ns / (cost.round_us * 1e3));
  return static_cast<int>(std::clamp(best, 1.0, static_cast<double>(kSegmentsMax)));
}

Result<void> set_constant(Cost& cost, std::string_view name, std::string_view value) {
  double* constant = name == "round_us"    ? &cost.round_us
                     : name == "byte_ns"   ? &cost.byte_ns
                     : name == "reduce_ns" ? &cost.reduce_ns
                                           : nullptr;
  if (constant == nullptr)
    return Error{Errc::invalid, fmt::format("there is no constant {}", name)};
  const std::string text(value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number > 0 && number < 1e9)) {
    return Error{Errc::invalid, fmt::format("{}={}: not a positive number", name, value)};
  }
  *constant = number;
  return {};
}

}  // namespace

double predict(const Plan& plan, std::size_t bytes, const Cost& cost) {
  if (plan.ranks == 1) return 0;
  const Load load = load_of(plan, static_cast<double>(bytes));
  return load.rounds * cost.round_us * 1e-6 +
         (load.sent * cost.byte_ns + load.reduced * cost.reduce_ns) * 1e-9;
}

Plan choose(Operation operation, int ranks, int root, std::size_t bytes, const Choice& choice) {
  const auto plan_by = [&](Algorithm algorithm) {
    Plan plan{operation, algorithm, ranks, root};
    if (algorithm == Algorithm::tree && ranks > 1) {
      plan.segments = segments_of(ranks, static_cast<double>(bytes), choice.cost);
    }
    return plan;
  };
  const auto& all = algorithms_of(operation);
  if (choice.algorithm && std::ranges::find(all, *choice.algorithm) != all.end()) {
    return plan_by(*choice.algorithm);
  }
  Plan best = plan_by(all.front());
  for (const Algorithm algorithm : all) {
    const Plan plan = plan_by(algorithm);
    if (predict(plan, bytes, choice.cost) < predict(best, bytes, choice.cost)) best = plan;
  }
  return best;
}

Result<Choice> parse_choice(std::string_view text) {
  Choice choice;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto equals = word.find('=');
    if (equals != std::string_view::npos) {
      auto set = set_constant(choice.cost, word.substr(0, equals), word.substr(equals + 1));
      if (!set) return set.error();
      continue;
    }
    choice.algorithm = algorithm_named(word);
    if (!choice.algorithm) {
      return Error{Errc::invalid, fmt::format("there is no algorithm {}", word)};
    }
  }
  return choice;
}

}  // namespace ringmaster::collectives::schedules

// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster schedule`: which algorithm an operation between hosts is carried out with, by size,
// and what one rank does in it. What it prints is what ranks do: both ask the same function.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "collectives/schedules/choose.h"
#include "collectives/schedules/simulate.h"
#include "launcher/commands/command.h"

namespace ringmaster::launcher {

namespace {

namespace plans = collectives::schedules;

struct ScheduleSettings {
  std::int64_t ranks = 8, ranks_a_host = 1, bytes = 0, position = -1;
  std::string operation = "all_reduce", algorithm;
  bool json = false;
};

/// Every algorithm's plan for this size, the chosen one first.
std::vector<plans::Plan> plans_of(plans::Operation operation, int ranks, std::size_t bytes,
                                  const plans::Choice& choice) {
  std::vector<plans::Plan> plans = {plans::choose(operation, ranks, 0, bytes, choice)};
  for (const plans::Algorithm algorithm : plans::algorithms_of(operation)) {
    if (algorithm == plans.front().algorithm) continue;
    plans.push_back(plans::choose(operation, ranks, 0, bytes, {choice.cost, algorithm}));
  }
  return plans;
}

void print_size(const ScheduleSettings& s, std::size_t bytes, const std::vector<plans::Plan>& plans,
                const plans::Cost& cost) {
  nlohmann::json predicted, simulated;
  std::string others;
  for (const plans::Plan& plan : plans) {
    const double us = plans::predict(plan, bytes, cost) * 1e6;
    predicted[plans::name_of(plan.algorithm)] = us;
    if (&plan != &plans.front())
      others += fmt::format("  {} {:.0f}", plans::name_of(plan.algorithm), us);
  }
  const auto result = plans::simulate(plans.front(), bytes, static_cast<int>(s.ranks_a_host), cost);
  if (!s.json) {
    fmt::print("{:>12}  {:<13} {:>11.0f} {:>11.0f} {}\n", bytes,
               plans::name_of(plans.front().algorithm),
               plans::predict(plans.front(), bytes, cost) * 1e6, result.seconds * 1e6, others);
    return;
  }
  fmt::print("{}\n", nlohmann::json{{"operation", s.operation},
                                    {"ranks", s.ranks},
                                    {"bytes", bytes},
                                    {"algorithm", plans::name_of(plans.front().algorithm)},
                                    {"predicted_us", predicted},
                                    {"simulated_us", result.seconds * 1e6},
                                    {"bytes_sent_by_host", result.bytes_sent},
                                    {"messages", result.messages}}
                         .dump());
}

const char* action_name(plans::Action action) {
  switch (action) {
    case plans::Action::send:
      return "send";
    case plans::Action::receive:
      return "receive";
    case plans::Action::reduce:
      return "reduce";
  }
  return "";
}

void print_steps(const ScheduleSettings& s, const plans::Plan& plan) {
  plans::Steps steps;
  for (int round = 0; round < plans::round_count(plan); ++round) {
    steps.clear();
    plans::add_round(plan, static_cast<int>(s.position), round, steps);
    for (const plans::Step& step : steps) {
      const bool sends = step.action == plans::Action::send;
      if (s.json) {
        fmt::print("{}\n", nlohmann::json{{"round", round},
                                          {"action", action_name(step.action)},
                                          {"peer", step.peer},
                                          {"first_block", step.first},
                                          {"blocks", step.blocks},
                                          {"complete", step.complete}}
                               .dump());
        continue;
      }
      const std::string what = step.blocks == 0   ? "a token"
                               : step.blocks == 1 ? fmt::format("block {}", step.first)
                                                  : fmt::format("blocks {}-{}", step.first,
                                                                step.first + step.blocks - 1);
      fmt::print("round {:<4} {:<8} {} {} {}{}\n", round, action_name(step.action), what,
                 sends ? "to" : "from", step.peer, step.complete ? ": complete" : "");
    }
  }
}

}  // namespace

int run_schedule(const Arguments& arguments) {
  ScheduleSettings s;
  const Flags flags = {
      {"--ranks", &s.ranks, "N", "how many ranks", between(2, 100000)},
      {"--ranks-a-host", &s.ranks_a_host, "N", "so many share a NIC, in the simulation",
       between(1, 1000)},
      {"--bytes", &s.bytes, "N", "one size; 0: powers of four from 64 to 256 MiB",
       between(0, 1e15)},
      {"--operation", &s.operation, "NAME", "which one",
       one_of(
           {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "barrier"})},
      {"--algorithm", &s.algorithm, "CHOICE",
       "as in RINGMASTER_ALGORITHM: ring, halving, tree, gather, doubling, chain or binomial, and "
       "the model's constants, as in ring,round_us=50,byte_ns=8"},
      {"--position", &s.position, "P", "print the steps of this position, with --bytes",
       between(-1, 99999)},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster schedule [options]",
                       "Prints with which algorithm ranks on several hosts carry out an operation, "
                       "by size: the time in us that\nthe model of the network predicts, that of a "
                       "simulation of all ranks, and what the others would take.",
                       "ringmaster schedule --ranks 16 --operation all_reduce"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto choice = plans::parse_choice(s.algorithm);
  if (!choice) {
    return fail(s.json, {Errc::invalid, "--algorithm: " + choice.error().message},
                "see ringmaster schedule --help", kExitUsage);
  }
  const auto operation = plans::operation_named(s.operation);
  const auto ranks = static_cast<int>(s.ranks);
  if (s.position >= s.ranks) {
    return fail(s.json,
                {Errc::invalid, fmt::format("--position {}: there are {}", s.position, ranks)},
                "positions count from 0", kExitUsage);
  }
  if (s.position >= 0) {
    print_steps(s, plans::choose(*operation, ranks, 0, static_cast<std::size_t>(s.bytes), *choice));
    return 0;
  }
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 64; bytes <= (256U << 20); bytes *= 4) sizes.push_back(bytes);
  if (s.bytes > 0) sizes = {static_cast<std::size_t>(s.bytes)};
  if (!s.json)
    fmt::print("       bytes  algorithm     predicted   simulated   others, predicted\n");
  for (const std::size_t bytes : sizes) {
    print_size(s, bytes, plans_of(*operation, ranks, bytes, *choice), choice->cost);
  }
  return 0;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// The plan as `ringrun --dry-run` shows it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "launcher/contracts/contracts.h"
#include "launcher/hostlist/list_error.h"
#include "launcher/plan.h"

namespace ringmaster::launcher {

namespace {

/// What people look for first; programs get all names.
constexpr std::array<std::string_view, 5> kTold = {"RANK", "LOCAL_RANK", "WORLD_SIZE",
                                                   "LOCAL_WORLD_SIZE", "MASTER_ADDR"};

/// All that the plan sets for the rank, each name once. Ports are chosen at the start.
Variables variables_of(const Plan& plan, int rank) {
  Variables variables = planned_variables(plan, rank);
  for (const auto& [name, value] : program_of(plan, rank).variables) {
    std::erase_if(variables,
                  [&, key = name](const auto& variable) { return variable.first == key; });
    variables.emplace_back(name, value);
  }
  return variables;
}

/// The GPUs of the rank; nothing where its host was not looked at.
std::optional<std::vector<int>> gpus_of(const Plan& plan, const mapping::Placement& place) {
  const auto& gpus = plan.gpus[static_cast<std::size_t>(place.host_index)];
  if (!plan.gpu_order.empty()) {
    return std::vector<int>{plan.gpu_order[static_cast<std::size_t>(place.local_rank)]};
  }
  if (!gpus) return std::nullopt;
  if (*gpus == 0) return std::vector<int>{};
  return std::vector<int>{place.slot % *gpus};
}

std::string command_text(const RankProgram& program) {
  std::string text = fmt::format("{}", fmt::join(program.command, " "));
  if (!program.working_directory.empty())
    text += fmt::format(" (in {})", program.working_directory);
  return hostlist::on_one_line(text);
}

/// "rank 1 on n1, local rank 1 of 2, processors 1, GPUs 0", and its variables.
std::string rank_text(const Plan& plan, const mapping::Placement& place) {
  std::string text = fmt::format("rank {} on {}, local rank {} of {}", place.rank, place.host,
                                 place.local_rank, place.local_size);
  if (const auto processors = processors_of(plan, place.rank)) {
    text += fmt::format(", processors {}", mapping::numbers_text(*processors));
  }
  const auto gpus = gpus_of(plan, place);
  if (gpus && !gpus->empty()) text += fmt::format(", GPU {}", fmt::join(*gpus, ","));
  if (plan.programs.size() > 1) text += ", " + command_text(program_of(plan, place.rank));
  text += ":";
  const Variables& chosen = program_of(plan, place.rank).variables;
  for (const auto& [name, value] : variables_of(plan, place.rank)) {
    const auto is_name = [&, key = name](const auto& variable) { return variable.first == key; };
    const bool told = std::ranges::find(kTold, name) != kTold.end() ||
                      std::any_of(chosen.begin(), chosen.end(), is_name);
    if (told) text += fmt::format(" {}={}", name, hostlist::on_one_line(value));
  }
  return text + "\n";
}

nlohmann::json rank_json(const Plan& plan, const mapping::Placement& place) {
  nlohmann::json environment = nlohmann::json::object();
  for (const auto& [name, value] : variables_of(plan, place.rank)) environment[name] = value;
  const auto processors = processors_of(plan, place.rank);
  const auto gpus = gpus_of(plan, place);
  const RankProgram& program = program_of(plan, place.rank);
  return {{"rank", place.rank},
          {"host", place.host},
          {"local_rank", place.local_rank},
          {"local_size", place.local_size},
          {"cores", processors ? nlohmann::json(*processors) : nlohmann::json()},
          {"gpus", gpus ? nlohmann::json(*gpus) : nlohmann::json()},
          {"command", program.command},
          {"wdir", program.working_directory.empty() ? nlohmann::json()
                                                     : nlohmann::json(program.working_directory)},
          {"env", environment}};
}

}  // namespace

std::string plan_text(const Plan& plan) {
  const auto hosts = hosts_of(plan);
  std::string text =
      fmt::format("{} ranks on {}: {}\n", plan.spec.ranks_max,
                  hosts.size() == 1 ? hosts.front() : fmt::format("{} hosts", hosts.size()),
                  plan.programs.size() == 1 ? command_text(plan.programs.front())
                                            : fmt::format("{} programs", plan.programs.size()));
  if (plan.spec.elastic()) {
    text += fmt::format("elastic: goes on with {} or more, {} replacements in all\n",
                        plan.spec.ranks_min, plan.spec.restarts);
  }
  for (const auto& place : plan.places) text += rank_text(plan, place);
  for (const Drill& drill : plan.drills) {
    text += fmt::format("drill: rank {} is killed after step {}\n", drill.rank, drill.steps);
  }
  return text +
         "ports are chosen at the start, other launchers' variables: --json; nothing was started\n";
}

std::string plan_json(const Plan& plan) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const auto& place : plan.places) ranks.push_back(rank_json(plan, place));
  const nlohmann::json json = {{"hosts", hosts_of(plan)},
                               {"ranks", std::move(ranks)},
                               {"elastic", {plan.spec.ranks_min, plan.spec.ranks_max}},
                               {"restarts", plan.spec.restarts}};
  // A variable may hold any bytes, JSON only UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// The plan as `ringrun --dry-run` shows it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "launcher/hostlist/list_error.h"
#include "launcher/plan.h"

namespace ringmaster::launcher {

namespace {

// A dry run binds no port; the real one is the kernel's choice at the start.
constexpr int kNoPort = 0;

/// All that the plan sets for the rank, each name once.
Variables variables_of(const Plan& plan, int rank) {
  Variables variables = rank_variables(plan, rank, kNoPort);
  for (const auto& [name, value] : program_of(plan, rank).variables) {
    std::erase_if(variables,
                  [&, key = name](const auto& variable) { return variable.first == key; });
    variables.emplace_back(name, value);
  }
  return variables;
}

/// The port of a rank that nobody gave one.
bool is_open_port(const std::pair<std::string, std::string>& variable) {
  return variable.first == "MASTER_PORT" && variable.second == fmt::format("{}", kNoPort);
}

/// The GPUs of the rank; nothing where its host was not looked at.
std::optional<std::vector<int>> gpus_of(const Plan& plan, const mapping::Placement& place) {
  const auto& gpus = plan.gpus[static_cast<std::size_t>(place.host_index)];
  if (!gpus) return std::nullopt;
  if (*gpus == 0) return std::vector<int>{};
  return std::vector<int>{place.slot % *gpus};
}

std::vector<std::string> hosts_of_plan(const Plan& plan) {
  std::vector<std::string> hosts(plan.gpus.size());
  for (const auto& place : plan.places) {
    hosts[static_cast<std::size_t>(place.host_index)] = place.host;
  }
  return hosts;
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
  for (const auto& variable : variables_of(plan, place.rank)) {
    text += is_open_port(variable)
                ? " MASTER_PORT=(chosen at the start)"
                : fmt::format(" {}={}", variable.first, hostlist::on_one_line(variable.second));
  }
  return text + "\n";
}

nlohmann::json rank_json(const Plan& plan, const mapping::Placement& place) {
  nlohmann::json environment = nlohmann::json::object();
  for (const auto& variable : variables_of(plan, place.rank)) {
    if (!is_open_port(variable)) environment[variable.first] = variable.second;
  }
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
  const auto hosts = hosts_of_plan(plan);
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
  return text + "nothing was started\n";
}

std::string plan_json(const Plan& plan) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const auto& place : plan.places) ranks.push_back(rank_json(plan, place));
  const nlohmann::json json = {{"hosts", hosts_of_plan(plan)},
                               {"ranks", std::move(ranks)},
                               {"elastic", {plan.spec.ranks_min, plan.spec.ranks_max}},
                               {"restarts", plan.spec.restarts}};
  // A variable may hold any bytes, JSON only UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ringmaster::launcher

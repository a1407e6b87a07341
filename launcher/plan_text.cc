// SPDX-License-Identifier: Apache-2.0
//
// The plan as `ringrun --dry-run` shows it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "launcher/contracts/contracts.h"
#include "launcher/plan.h"

namespace ringmaster::launcher {

namespace {

// A dry run binds no port; the real one is the kernel's choice at the start.
constexpr int kNoPort = 0;

}  // namespace

std::string plan_text(const Plan& plan) {
  std::string text = fmt::format("{} ranks on {}: {}\n", plan.spec.ranks_max, plan.host,
                                 fmt::join(plan.command, " "));
  if (plan.spec.elastic()) {
    text += fmt::format("elastic: goes on with {} or more, {} replacements in all\n",
                        plan.spec.ranks_min, plan.spec.restarts);
  }
  for (int rank = 0; rank < plan.spec.ranks_max; ++rank) {
    text += fmt::format("rank {}:", rank);
    for (const auto& [name, value] : rank_variables(plan, rank, kNoPort)) {
      text += name == "MASTER_PORT" ? " MASTER_PORT=(chosen at the start)"
                                    : fmt::format(" {}={}", name, value);
    }
    const auto processors = processors_of(plan, rank);
    text += processors ? fmt::format("; processors {}\n", processors_text(*processors)) : "\n";
  }
  for (const Drill& drill : plan.drills) {
    text += fmt::format("drill: rank {} is killed after step {}\n", drill.rank, drill.steps);
  }
  return text + "nothing was started\n";
}

std::string plan_json(const Plan& plan) {
  nlohmann::json ranks = nlohmann::json::array();
  for (int rank = 0; rank < plan.spec.ranks_max; ++rank) {
    nlohmann::json environment = nlohmann::json::object();
    for (const auto& [name, value] : planned_variables(plan, rank)) environment[name] = value;
    const auto processors = processors_of(plan, rank);
    ranks.push_back({{"rank", rank},
                     {"host", plan.host},
                     {"local_rank", rank},
                     {"cores", processors ? nlohmann::json(*processors) : nlohmann::json()},
                     {"gpus", nullptr},
                     {"env", environment}});
  }
  return nlohmann::json{{"hosts", {plan.host}},
                        {"ranks", ranks},
                        {"elastic", {plan.spec.ranks_min, plan.spec.ranks_max}},
                        {"restarts", plan.spec.restarts}}
      .dump();
}

}  // namespace ringmaster::launcher

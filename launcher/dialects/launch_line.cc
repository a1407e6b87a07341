// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/launch_line.h"

#include <fmt/format.h>

#include "launcher/dialects/mpirun.h"
#include "launcher/dialects/torchrun.h"

namespace ringmaster::launcher {

namespace {

std::optional<Dialect> dialect_named(std::string_view name) {
  if (name == "ringrun") return Dialect::ringrun;
  if (name == "torchrun") return Dialect::torchrun;
  if (name == "mpirun" || name == "mpiexec") return Dialect::mpirun;
  return std::nullopt;
}

Result<Translation> translate(const ChosenDialect& chosen) {
  switch (chosen.dialect) {
    case Dialect::torchrun:
      return translate_torchrun(chosen.arguments, read_surroundings());
    case Dialect::mpirun:
      return translate_mpirun(chosen.arguments);
    case Dialect::ringrun:
      return Translation{.words = chosen.arguments};
  }
  CHECK(false);
}

}  // namespace

Result<ChosenDialect> choose_dialect(std::string_view called,
                                     const std::vector<std::string>& arguments) {
  const std::string_view own = called.substr(called.rfind('/') + 1);
  ChosenDialect chosen{dialect_named(own).value_or(Dialect::ringrun), arguments};
  if (arguments.empty() || !arguments.front().starts_with("--as")) return chosen;
  const std::string& first = arguments.front();
  const bool joined = first.starts_with("--as=");
  if (!joined && first != "--as") return chosen;
  const std::size_t taken = joined ? 1 : 2;
  const std::string name = joined                  ? first.substr(5)
                           : arguments.size() >= 2 ? arguments[1]
                                                   : std::string();
  const auto dialect = dialect_named(name);
  if (!dialect) {
    const std::string near = suggest(name, {"torchrun", "mpirun", "mpiexec", "ringrun"});
    return Error{Errc::invalid, fmt::format("--as {}: it takes torchrun, mpirun or mpiexec{}", name,
                                            near.empty() ? "" : "; did you mean " + near + "?")};
  }
  chosen.dialect = *dialect;
  chosen.arguments.erase(chosen.arguments.begin(),
                         chosen.arguments.begin() + static_cast<std::ptrdiff_t>(taken));
  return chosen;
}

Result<LaunchLine> read_launch_line(std::string_view called,
                                    const std::vector<std::string>& arguments) {
  const auto chosen = choose_dialect(called, arguments);
  if (!chosen) return chosen.error();
  auto made = translate(*chosen);
  if (!made) return made.error();
  LaunchLine spoken{.rules = std::move(made->rules),
                    .remarks = std::move(made->remarks),
                    .help = std::move(made->help)};
  if (!spoken.help.empty()) return spoken;
  auto line = parse_command_line(made->words);
  if (!line && line.error().message.starts_with("unknown option --as")) {
    return Error{Errc::invalid, "--as: it stands first, as in ringrun --as mpirun -np 4 ./solver"};
  }
  if (!line) return line.error();
  spoken.line = std::move(*line);
  return spoken;
}

Result<void> fit_programs(const LaunchRules& rules, bool listed, int cores,
                          std::vector<RankProgram>* programs) {
  if (rules.per_host > 0 && listed) {
    return Error{Errc::invalid,
                 fmt::format("{} ranks on each host: the hosts are listed elsewhere; write their "
                             "slots there, or use -np",
                             rules.per_host)};
  }
  if (listed || !rules.cores_are_slots) return {};
  int ranks = 0;
  for (const RankProgram& program : *programs) ranks += program.ranks;
  if (ranks == 0) ranks = programs->front().ranks = rules.per_host > 0 ? rules.per_host : cores;
  if (rules.per_host > 0 && ranks > rules.per_host) {
    return Error{Errc::exhausted, fmt::format("{} ranks, but {} on each host, and this host is the "
                                              "only one",
                                              ranks, rules.per_host)};
  }
  if (ranks <= cores || rules.oversubscribe) return {};
  return Error{Errc::exhausted,
               fmt::format("{} ranks, but this host has {} {}, its slots as mpirun counts them: "
                           "--oversubscribe lets ranks share them",
                           ranks, cores, cores == 1 ? "core" : "cores")};
}

void apply_rules(const LaunchLine& spoken, Plan* plan) {
  const LaunchRules& rules = spoken.rules;
  if (rules.quiet) plan->remarks.clear();
  if (!rules.quiet) {
    plan->remarks.insert(plan->remarks.begin(), spoken.remarks.begin(), spoken.remarks.end());
  }
  plan->torch_program = rules.torch_program;
  plan->output.tag = rules.tag;
  plan->output.streams = rules.streams;
  plan->output.layout = rules.layout;
  plan->output.merged = rules.merged;
}

}  // namespace ringmaster::launcher

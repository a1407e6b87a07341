// SPDX-License-Identifier: Apache-2.0
//
// Command lines of ringrun and of the trainer. What is accepted is within its bounds, can be said
// again in one spelling with the same effect, and comes to a plan or to an error.
#include <fmt/format.h>

#include "base/check.h"
#include "launcher/command_line.h"
#include "launcher/plan.h"
#include "tests/fuzz/target.h"
#include "worker/training/settings.h"

namespace ringmaster::fuzz {

namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const auto end = text.find('\n');
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return words;
}

/// The flags with their values as a command line: every number, text and list, and the bools set.
Words said_again(const Flags& flags) {
  Words words;
  for (const Flag& flag : flags) {
    const auto name = flag.names.substr(flag.names.rfind(',') + 1);
    if (auto* const* whole = std::get_if<std::int64_t*>(&flag.target)) {
      const auto value = static_cast<double>(**whole);
      const bool given = value >= flag.bounds.low && value <= flag.bounds.high;
      if (given) words.push_back(fmt::format("{}={}", name, **whole));
    } else if (auto* const* decimal = std::get_if<double*>(&flag.target)) {
      const bool given = **decimal >= flag.bounds.low && **decimal <= flag.bounds.high;
      if (given) words.push_back(fmt::format("{}={}", name, **decimal));
    } else if (auto* const* text = std::get_if<std::string*>(&flag.target)) {
      words.push_back(fmt::format("{}={}", name, **text));
    } else if (auto* const* list = std::get_if<Words*>(&flag.target)) {
      for (const std::string& one : **list) words.push_back(fmt::format("{}={}", name, one));
    } else if (*std::get<bool*>(flag.target)) {
      words.emplace_back(name);
    }
  }
  return words;
}

template <class Settings>
bool try_flags(const Words& words, Rest rest, Settings& settings, Parsed& parsed) {
  const auto result = parse_flags(settings.flags(), words, rest);
  if (!result) {
    CHECK(!result.error().message.empty());
    return false;
  }
  parsed = *result;
  if (parsed.help) return false;
  CHECK(rest != Rest::none || parsed.rest.empty());
  const Words again = said_again(settings.flags());
  Settings copy;
  CHECK(parse_flags(copy.flags(), again, Rest::none).ok());
  CHECK(said_again(copy.flags()) == again);
  CHECK_EQ(config_text(copy.flags()), config_text(settings.flags()));
  return true;
}

void try_plan(const launcher::CommandLine& line) {
  std::vector<launcher::RankProgram> programs;
  for (const auto& each : line.programs) {
    CHECK(!each.command.empty());
    programs.push_back({each.command, static_cast<int>(each.settings.ranks)});
  }
  for (const int gpus : {0, 3}) {
    const launcher::HostFacts host = {
        .name = "here", .cpus = 2, .gpus = gpus, .cores = {{{0}}, {{1}, 1}}};
    const auto plan = launcher::make_plan(line.settings, programs, host, {});
    if (!plan) {
      CHECK(!plan.error().message.empty());
      continue;
    }
    CHECK_LE(1, plan->spec.ranks_min);
    CHECK_LE(plan->spec.ranks_min, plan->spec.ranks_max);
    CHECK_LE(plan->spec.ranks_max, 4096);
    CHECK_LE(0, plan->spec.restarts);
    CHECK(plan->spec.grace >= Duration{0});
    for (const auto& drill : plan->drills) CHECK_LT(drill.rank, plan->spec.ranks_max);
    CHECK(!launcher::plan_text(*plan).empty());
    CHECK(launcher::plan_json(*plan).starts_with('{'));
  }
}

void run(std::string_view input) {
  const Words words = words_of(input);
  Parsed parsed;
  launcher::RunSettings run_settings;
  const bool valid = try_flags(words, Rest::command, run_settings, parsed);
  const auto line = launcher::parse_command_line(words);
  CHECK(valid || !line || line->help);
  if (line && !line->programs.empty()) try_plan(*line);
  training::TrainSettings train_settings;
  try_flags(words, Rest::words, train_settings, parsed);
}

}  // namespace

Target flags_target() {
  return {
      "flags",
      {"-np\n4\n--elastic\n2:4\n--drill=kill:1@200\n--drill\nkill:2@500\nprogram\n--steps\n3",
       "--np=2\n--timeout\n0.5\n--grace=86400\n--tag-output\n--dry-run\n--json\n--\n-x",
       "-n\n1\n--oversubscribe\n--restarts\n0\nprogram",
       "--model\nmlp\n--epochs=3\n--learning-rate\n1e-3\n--seed=7\n--bucket\n1024\n--data=x",
       "-np\n2\n-x\nA=1\n--map\nnuma\n-c\n1\na\n:\n-np\n1\n--wdir\n/\nb\n:",
       "--bind\ncore\n-np\n1\n--\na\n:\nb", "-np\n1\na\n:\n--map\nslot\nb",
       "--print-config\n--images\n60000\n--metrics\nrun.jsonl\nword", "--help", "--elastik\n2:4"},
      &run,
      5000};
}

}  // namespace ringmaster::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/mpirun.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "launcher/dialects/mpirun_places.h"
#include "launcher/dialects/mpirun_settings.h"

namespace ringmaster::launcher {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kMpirunTag = "[1,${rank}]<${stream}>:";
// Parameters by which mpirun itself is steered; passed to ranks they would do nothing.
constexpr std::array<std::string_view, 6> kSteering = {
    "rmaps_",          "hwloc_base_binding", "hwloc_base_cpu_list",
    "orte_tag_output", "orte_timestamp",     "orte_output_filename"};

template <class... More>
void append(Words* words, More... more) {
  (words->push_back(std::string(more)), ...);
}

/// `--mca NAME=VALUE` as the variable that ranks look for.
Result<std::string> parameter_variable(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{Errc::invalid, fmt::format("--mca {}: it takes a name and a value", text)};
  }
  const std::string name = text.substr(0, equals);
  const auto steers = [&](std::string_view start) { return name.starts_with(start); };
  if (std::ranges::any_of(kSteering, steers)) {
    return Error{Errc::invalid,
                 fmt::format("--mca {}: it steers Open MPI's mpirun and not its programs; use "
                             "--map-by, --bind-to, --oversubscribe or an option of output",
                             name)};
  }
  return "OMPI_MCA_" + text;
}

/// The program's own options and, behind them, its words.
Result<Words> words_of_program(const MpirunProgram& program, const Words& command) {
  Words words;
  if (program.ranks > 0) append(&words, "-np", fmt::format("{}", program.ranks));
  for (const std::string& directory : program.directories) append(&words, "--wdir", directory);
  for (const std::string& parameter : program.parameters) {
    const auto variable = parameter_variable(parameter);
    if (!variable) return variable.error();
    append(&words, "-x", *variable);
  }
  for (const std::string& exported : program.exports) append(&words, "-x", exported);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

void add_job_output(const MpirunSettings& settings, Translation* made) {
  Words& words = made->words;
  if (settings.tag_output) append(&words, "--tag-output");
  if (settings.time_output) append(&words, "--timestamp-output");
  if (!settings.files.empty()) append(&words, "--output-dir", settings.files);
  if (!settings.input.empty()) append(&words, "--stdin", settings.input);
  made->rules.tag = kMpirunTag;
  made->rules.layout = FileLayout::openmpi;
  made->rules.merged = settings.merged;
  made->rules.quiet = settings.quiet;
  made->rules.shows_plan = settings.display_map && !settings.no_launch;
}

Result<Translation> translate_job(const MpirunSettings& settings) {
  Translation made{.rules = {.cores_are_slots = true}};
  auto places = read_mpirun_places(settings);
  if (!places) return places.error();
  if (settings.oversubscribe && settings.no_oversubscribe) {
    return Error{Errc::invalid, "--oversubscribe and --nooversubscribe exclude each other"};
  }
  made.rules.oversubscribe = places->oversubscribe;
  made.rules.per_host = places->per_host;
  made.words = std::move(places->words);
  Words& words = made.words;
  for (const std::string& list : settings.hosts) append(&words, "-H", list);
  for (const std::string& file : settings.host_files) append(&words, "--hostfile", file);
  for (const std::string& file : settings.rank_files) append(&words, "--rankfile", file);
  if (settings.report_bindings) append(&words, "--report-bindings");
  if (settings.no_launch) append(&words, "--dry-run");
  if (settings.timeout_seconds > 0) {
    append(&words, "--timeout", fmt::format("{}", settings.timeout_seconds));
  }
  add_job_output(settings, &made);
  return made;
}

Error later_option(const Error& error, const Flags& of_job) {
  for (const Flag& flag : of_job) {
    for (std::string_view names = flag.names; !names.empty();) {
      const std::size_t comma = names.find(',');
      const std::string_view name = names.substr(0, comma);
      names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
      if (!error.message.starts_with(fmt::format("unknown option {}:", name))) continue;
      return {Errc::invalid, fmt::format("{}: it is for the whole job here, and stands before the "
                                         "first program",
                                         name)};
    }
  }
  return error;
}

struct OneProgram {
  Parsed parsed = {};
  Words command = {};
  Words rest = {};
  bool again = false;  // there is another one
};

/// Options, then a program up to the next ':'.
Result<OneProgram> read_program_line(const Flags& flags, const Words& words) {
  Refusals refusals(mpirun_refusals());
  Flags all = flags;
  for (const Flag& flag : refusals.flags()) all.push_back(flag);
  auto parsed = parse_flags(all, join_pairs(all, words), Rest::command);
  if (!parsed) return parsed.error();
  OneProgram one{.parsed = *parsed};
  if (one.parsed.help) return one;
  if (const auto refused = refusals.given()) return *refused;
  const Words& rest = one.parsed.rest;
  const auto colon = std::find(rest.begin(), rest.end(), ":");
  one.command.assign(rest.begin(), colon);
  one.again = colon != rest.end();
  if (one.again) one.rest.assign(std::next(colon), rest.end());
  if (one.command.empty()) {
    return Error{Errc::invalid, "which program? See ringrun --as mpirun --help"};
  }
  return one;
}

}  // namespace

Result<Translation> translate_mpirun(const Words& arguments) {
  MpirunSettings settings;
  auto one = read_program_line(settings.flags(), arguments);
  if (!one) return one.error();
  if (one->parsed.help) {
    Translation asked;  // GCC 12 takes a temporary for uninitialised
    asked.help = mpirun_help();
    return asked;
  }
  auto made = translate_job(settings);
  if (!made) return made.error();
  if (one->parsed.print_config) append(&made->words, "--print-config");
  auto words = words_of_program(settings.program, one->command);
  if (!words) return words.error();
  made->words.insert(made->words.end(), words->begin(), words->end());
  while (one->again) {
    MpirunProgram program;
    auto next = read_program_line(program.flags(), one->rest);
    if (!next) return later_option(next.error(), settings.flags());
    words = words_of_program(program, next->command);
    if (!words) return words.error();
    append(&made->words, ":");
    made->words.insert(made->words.end(), words->begin(), words->end());
    one = std::move(next);
  }
  if (settings.verbose) {
    made->remarks.push_back(
        fmt::format("in ringrun's words: ringrun {}", fmt::join(made->words, " ")));
  }
  return made;
}

}  // namespace ringmaster::launcher

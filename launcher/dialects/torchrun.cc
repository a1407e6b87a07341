// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/torchrun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/whole_number.h"
#include "launcher/dialects/meeting.h"
#include "launcher/dialects/streams.h"
#include "launcher/dialects/torchrun_settings.h"
#include "launcher/settings.h"

namespace ringmaster::launcher {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kPrefixVariable = "TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE";
constexpr const char* kTag = "[${role_name}${local_rank}]:";

/// "--nproc_per_node" -> "PET_NPROC_PER_NODE".
std::string pet_name(std::string_view option) {
  std::string name = "PET_";
  for (const char c : option.substr(2)) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

/// The option's value from the environment. A switch is on for numbers but 0, as torchrun has it.
Result<void> read_pet(const Flag& flag, const Surroundings& around) {
  const std::string option(last_name(flag.names));
  const std::string name = pet_name(option);
  const auto value = variable_in(around, name);
  if (!value) return {};
  std::string word = option + "=" + *value;
  if (std::holds_alternative<bool*>(flag.target)) {
    if (*value == "0") return {};
    if (*value != "1") {
      return Error{Errc::invalid, fmt::format("{}={}: it takes 0 or 1", name, *value)};
    }
    word = option;
  }
  const auto parsed = parse_flags({flag}, {word}, Rest::none);
  if (parsed) return {};
  return Error{Errc::invalid, fmt::format("{} (from {})", parsed.error().message, name)};
}

/// The options and, in what they leave, the program.
Result<Parsed> read_options(TorchrunSettings* settings, const Words& arguments,
                            const Surroundings& around) {
  Refusals refusals(torchrun_refusals());
  Flags flags = settings->flags();
  for (const Flag& flag : refusals.flags()) flags.push_back(flag);
  for (const Flag& flag : flags) {
    auto read = read_pet(flag, around);
    if (!read) return read.error();
  }
  auto parsed = parse_flags(flags, arguments, Rest::command);
  if (!parsed || parsed->help) return parsed;
  if (const auto refused = refusals.given()) return *refused;
  return parsed;
}

Result<int> count_ranks(const std::string& text, const Surroundings& around) {
  if (text == "cpu" || (text == "auto" && around.gpus == 0)) return around.cpus;
  if (text == "auto" || (text == "gpu" && around.gpus > 0)) return around.gpus;
  if (text == "gpu") {
    return Error{Errc::invalid,
                 "--nproc-per-node gpu: no GPU is seen here (the NVIDIA driver, "
                 "CUDA_VISIBLE_DEVICES); use cpu or a number"};
  }
  int ranks = 0;
  if (!read_whole(text, &ranks) || ranks < 1 || ranks > kRanksMost) {
    return Error{Errc::invalid, fmt::format("--nproc-per-node {}: it takes gpu, cpu, auto or a "
                                            "number from 1 to {}",
                                            text, kRanksMost)};
  }
  return ranks;
}

Result<void> check_hosts(const TorchrunSettings& settings) {
  if (settings.nodes == "1" || settings.nodes == "1:1") return {};
  return Error{
      Errc::invalid,
      fmt::format("--nnodes {}: ranks are started on this host only, so it takes 1 or 1:1; "
                  "ringrun -H HOSTS --dry-run shows where ranks of several would be",
                  settings.nodes)};
}

/// What each rank runs.
Result<Words> command_of(const TorchrunSettings& settings, const Words& program,
                         const Surroundings& around) {
  if (program.empty()) {
    return Error{Errc::invalid, "which program? See ringrun --as torchrun --help"};
  }
  if (settings.no_python && settings.module && !settings.run_path) {
    return Error{Errc::invalid,
                 "--no-python and --module exclude each other: a module needs Python"};
  }
  if (settings.no_python && !settings.run_path) return program;
  Words command = {variable_in(around, "PYTHON_EXEC").value_or("python3"), "-u"};
  if (settings.module && !settings.run_path) command.emplace_back("-m");
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

/// The folder of the run's files; "": none.
Result<std::string> log_folder(const TorchrunSettings& settings, const std::string& run,
                               bool needed, const Surroundings& around) {
  if (settings.log_folder.empty() && !needed) return std::string();
  if (run.find('/') != std::string::npos) {
    return Error{Errc::invalid, fmt::format("--rdzv-id {}: the log folder is named after it, so it "
                                            "takes no /",
                                            run)};
  }
  const std::string own = fmt::format("{}_{}", run, around.random);
  if (!settings.log_folder.empty()) return settings.log_folder + "/" + own;
  const auto temporary = variable_in(around, "TMPDIR");
  return fmt::format("{}/torchelastic_{}/{}", temporary.value_or("/tmp"), around.random, own);
}

std::string tag_form(const TorchrunSettings& settings, const Surroundings& around) {
  std::string form = variable_in(around, kPrefixVariable).value_or(kTag);
  const std::string name = "${role_name}";
  for (std::size_t at = form.find(name); at != std::string::npos; at = form.find(name, at)) {
    form.replace(at, name.size(), settings.role);
    at += settings.role.size();
  }
  return form;
}

Result<void> add_output(const TorchrunSettings& settings, const std::string& run, int ranks,
                        const Surroundings& around, Translation* made) {
  auto streams = read_streams(settings.redirects, settings.tee, ranks);
  if (!streams) return streams.error();
  const auto folder = log_folder(settings, run, has_files(*streams), around);
  if (!folder) return folder.error();
  if (!folder->empty()) {
    made->words.insert(made->words.end(), {"--output-dir", *folder});
    made->remarks.push_back("the files of ranks are in " + *folder);
  }
  if (!settings.shown.empty()) {
    const auto shown = parse_rank_list(settings.shown, ranks);
    if (!shown) {
      return Error{Errc::invalid, fmt::format("--local-ranks-filter {}: it takes local ranks from "
                                              "0 to {}, as in 0,4-7",
                                              settings.shown, ranks - 1)};
    }
    made->words.insert(made->words.end(), {"--output-ranks", settings.shown});
  }
  made->rules.streams = std::move(*streams);
  made->rules.tag = tag_form(settings, around);
  return {};
}

void add_variables(const TorchrunSettings& settings, const std::string& run,
                   const MeetingPlace& place, int ranks, const Surroundings& around,
                   Translation* made) {
  const auto set = [&](std::string_view name, const std::string& value) {
    made->words.insert(made->words.end(), {"-x", fmt::format("{}={}", name, value)});
  };
  set("TORCHELASTIC_RUN_ID", run);
  set("ROLE_NAME", settings.role);
  if (!place.address.empty()) set("MASTER_ADDR", place.address);
  if (place.port > 0) set("MASTER_PORT", fmt::format("{}", place.port));
  if (ranks == 1 || variable_in(around, "OMP_NUM_THREADS")) return;
  set("OMP_NUM_THREADS", "1");
  made->remarks.push_back(
      fmt::format("OMP_NUM_THREADS is 1 in each of the {} ranks, as with "
                  "torchrun, because it was not set",
                  ranks));
}

}  // namespace

Result<Translation> translate_torchrun(const Words& arguments, const Surroundings& around) {
  TorchrunSettings settings;
  auto parsed = read_options(&settings, arguments, around);
  if (!parsed) return parsed.error();
  if (parsed->help) {
    Translation asked;  // GCC 12 takes a temporary for uninitialised
    asked.help = torchrun_help();
    return asked;
  }
  if (auto fine = check_hosts(settings); !fine) return fine.error();
  const auto ranks = count_ranks(settings.ranks, around);
  if (!ranks) return ranks.error();
  auto place = read_meeting(settings, around.names);
  if (!place) return place.error();
  const auto command = command_of(settings, parsed->rest, around);
  if (!command) return command.error();
  const std::string run = settings.standalone    ? around.random
                          : settings.run.empty() ? "none"
                                                 : settings.run;
  // torchrun counts no GPUs, and gives ranks half a minute to end.
  Translation made{.words = {"-np", fmt::format("{}", *ranks), "--oversubscribe", "--grace", "30"},
                   .rules = {.this_host = true, .torch_program = parsed->rest.front()}};
  made.remarks = std::move(place->remarks);
  if (settings.restarts > 0) {
    made.words.insert(made.words.end(), {"--restarts", fmt::format("{}", settings.restarts)});
  }
  add_variables(settings, run, *place, *ranks, around, &made);
  if (auto added = add_output(settings, run, *ranks, around, &made); !added) return added.error();
  if (parsed->print_config) made.words.emplace_back("--print-config");
  made.words.emplace_back("--");
  made.words.insert(made.words.end(), command->begin(), command->end());
  return made;
}

}  // namespace ringmaster::launcher

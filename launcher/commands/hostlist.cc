// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster hostlist`: reads a host list aloud, in the format of whichever launcher it was
// written for. What is printed is what a launch would use.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/commands/command.h"
#include "launcher/hostlist/allocation.h"
#include "launcher/hostlist/list_text.h"
#include "launcher/hostlist/read_source.h"

namespace ringmaster::launcher {

namespace {

struct HostlistSettings {
  std::string format = "auto", second, args, tasks;
  bool allocation = false, json = false;
};

/// Two columns: the formats' names and what they are.
std::string format_table() {
  std::string text = "\nFormats:";
  for (const hostlist::Format& format : hostlist::formats()) {
    text += fmt::format("\n  {:<17} {}", format.name, format.what);
  }
  return text;
}

int fail_list(bool json, const hostlist::ListError& error) {
  if (!json) return fail(false, {Errc::invalid, error.message()}, error.hint);
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", hostlist::list_error_json(error));
  return kExitFailed;
}

int fail_file(bool json, const std::string& path, const Error& error) {
  return fail_list(json, hostlist::refusal(error.message).at({.file = path}));
}

int print_list(const HostlistSettings& s, const hostlist::HostList& list) {
  return print_line(s.json ? list_json(list) : list_text(list));
}

int show_allocation(const HostlistSettings& s) {
  const auto found = hostlist::read_allocation_here(hostlist::read_allocation_environment());
  if (!found) return fail_list(s.json, found.error());
  if (!found->has_value()) {
    return fail(s.json, {Errc::not_found, "no queueing system gave hosts to this process"},
                "it looks for the variables of Slurm, PBS, LSF and Grid Engine");
  }
  hostlist::HostList list = (**found).list;
  list.notes.push_back((**found).line());
  return print_list(s, list);
}

int show_list(const HostlistSettings& s, const std::string& path) {
  hostlist::Question question;
  auto text = hostlist::read_source(path);
  if (!text) return fail_file(s.json, path, text.error());
  question.list = std::move(*text);
  if (!s.second.empty()) {
    auto second = hostlist::read_source(s.second);
    if (!second) return fail_file(s.json, s.second, second.error());
    question.second = std::move(*second);
  }
  if (!s.args.empty()) question.args = hostlist::Source{"--args", s.args};
  if (!s.tasks.empty()) question.tasks = hostlist::Source{"--tasks", s.tasks};
  const hostlist::Format* format = hostlist::find_format(s.format);
  CHECK(format != nullptr);
  const auto list = hostlist::read_host_list(*format, question);
  return list ? print_list(s, *list) : fail_list(s.json, list.error());
}

}  // namespace

int run_hostlist(const Arguments& arguments) {
  HostlistSettings s;
  const Flags flags = {
      {"--format", &s.format, "F", "which launcher's format", one_of(hostlist::format_names())},
      {"--and", &s.second, "FILE",
       "openmpi: a second file that lays out the hosts of the first; rankfile: the hostfile"},
      {"--args", &s.args, "OPTIONS",
       "openmpi: \"--host LIST\" picks hosts; deepspeed: \"--include LIST\" or \"--exclude LIST\""},
      {"--tasks", &s.tasks, "S", "slurm: ranks on each host, as SLURM_TASKS_PER_NODE"},
      {"--allocation", &s.allocation, "",
       "show the hosts that a queueing system gave to this job, and where that was read"},
      {"--json", &s.json, "", "print one JSON object"},
  };
  const std::string purpose =
      "Prints the hosts of a list with their slots, in the order in which ranks fill them. \"-\" "
      "is standard input.\n" +
      format_table();
  const Usage usage = {"ringmaster hostlist [options] FILE|-", purpose,
                       "echo 'n[1-3,7]' | ringmaster hostlist --format slurm -", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (s.allocation) {
    const bool alone = read.words.empty() && s.second.empty() && s.args.empty() &&
                       s.tasks.empty() && s.format == "auto";
    if (alone) return show_allocation(s);
    return fail(s.json, {Errc::invalid, "--allocation is read from the environment alone"},
                "name no list beside it", kExitUsage);
  }
  if (read.words.size() != 1) {
    return fail(s.json,
                {Errc::invalid, fmt::format("it takes one list, not {}", read.words.size())},
                "FILE, or - for standard input", kExitUsage);
  }
  if (s.second == "-" && read.words.front() == "-") {
    return fail(s.json, {Errc::invalid, "both lists cannot come from standard input"},
                "give one of them as a file", kExitUsage);
  }
  return show_list(s, read.words.front());
}

}  // namespace ringmaster::launcher

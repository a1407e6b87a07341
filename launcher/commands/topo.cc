// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster topo`: how the GPUs of this machine are wired, or of one that a file describes.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "launcher/commands/bench_results.h"
#include "launcher/commands/choose_gpus.h"
#include "launcher/commands/command.h"
#include "launcher/hostlist/read_source.h"
#include "launcher/settings.h"
#include "topology/detect/this_machine.h"
#include "topology/diff.h"
#include "topology/known_machines.h"
#include "topology/placement/machine_table.h"
#include "topology/read/formats.h"
#include "topology/show/notes.h"
#include "topology/show/show.h"

namespace ringmaster::launcher {

namespace {

struct TopoSettings {
  std::string from, format = "auto", known, svg, taken;
  std::int64_t choose = 0, hosts = 1;
  bool json = false, xml = false, diff = false;
};

/// A refusal with the place that it blames: for people before it, for programs as fields.
int refuse_machine(bool json, const std::string& path, const topology::Refusal& refusal) {
  const std::string place = refusal.line == 0 ? path : fmt::format("{}:{}", path, refusal.line);
  const std::string message = fmt::format("{}: {}", place, refusal.what);
  if (!json) return fail(false, {Errc::invalid, message}, refusal.hint);
  nlohmann::ordered_json error = {{"code", errc_name(Errc::invalid)},
                                  {"message", message},
                                  {"hint", refusal.hint},
                                  {"file", path}};
  if (refusal.line != 0) error["line"] = refusal.line;
  std::fflush(stdout);
  fmt::print(stderr, "{}\n",
             nlohmann::ordered_json{{"error", error}}.dump(
                 -1, ' ', false, nlohmann::json::error_handler_t::replace));
  return kExitFailed;
}

/// The machine that the file describes; when it cannot be read, nothing, and how to end.
struct Looked {
  std::optional<topology::Topology> machine;
  int exit_code = 0;
};

Looked look_at(const TopoSettings& s, const std::string& path) {
  auto source = hostlist::read_source(path);
  if (!source) return {std::nullopt, refuse_machine(s.json, path, {source.error().message})};
  auto answer = topology::read_topology(s.format, source->text);
  if (const auto* refusal = std::get_if<topology::Refusal>(&answer)) {
    return {std::nullopt, refuse_machine(s.json, path, *refusal)};
  }
  return {std::get<topology::Topology>(std::move(answer))};
}

int show_machine(const TopoSettings& s, const topology::Topology& machine) {
  if (!s.svg.empty()) {
    if (const auto written = write_svg(s.svg, topology_svg(machine)); !written) {
      return fail(s.json, written.error(), "--svg names a file in a folder that can be written");
    }
    if (!s.json && !s.xml) return 0;
  }
  const bool colours = ::isatty(STDOUT_FILENO) != 0 && wants_colours();
  if (s.hosts > 1) {
    const int hosts = static_cast<int>(s.hosts);
    return print_line(s.json ? joined_json(machine, hosts) : joined_text(machine, hosts, colours));
  }
  if (s.choose > 0) {
    const auto text = choice_text(machine, s.choose, s.taken, s.json);
    return text ? print_line(*text) : fail(s.json, text.error());
  }
  if (s.json) return print_line(topology_json_with_rings(machine));
  if (s.xml) {
    const auto xml = topology::nccl_xml(machine);
    return xml ? print_line(*xml) : fail(false, xml.error(), "--json holds all that is known");
  }
  return print_line(summary_text(machine) + matrix_text(machine, colours) +
                    tree_text(machine, colours) + rings_text(machine, colours) +
                    notes_text(machine, colours));
}

int show_difference(const TopoSettings& s, const std::vector<std::string>& files) {
  const Looked before = look_at(s, files[0]);
  if (!before.machine) return before.exit_code;
  const Looked after = look_at(s, files[1]);
  if (!after.machine) return after.exit_code;
  const auto lines = topology::difference(*before.machine, *after.machine);
  if (s.json) {
    const int code = print_line(nlohmann::json{{"differences", lines}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace));
    return code != 0 || lines.empty() ? code : kExitFailed;
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const int code = print_line(lines.empty() ? "no difference" : text);
  return code != 0 || lines.empty() ? code : kExitFailed;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const topology::KnownMachine& machine : topology::known_machines()) {
    names.push_back(machine.name);
  }
  return names;
}

/// What flags and words do not go together; "" when all is well.
std::string clash_of(const TopoSettings& s, const std::vector<std::string>& words) {
  if (s.xml && (s.json || s.diff)) return "--xml does not go with --json or --diff";
  if (s.diff && (!s.svg.empty() || s.choose > 0)) {
    return "--diff does not go with --svg or --choose";
  }
  if (s.choose > 0 && (s.xml || !s.svg.empty())) return "--choose does not go with --xml or --svg";
  if (s.hosts > 1 && (s.xml || s.diff || s.choose > 0 || !s.svg.empty())) {
    return "--hosts does not go with --xml, --diff, --choose or --svg";
  }
  if (s.choose == 0 && !s.taken.empty()) return "--taken is of --choose";
  if (!s.known.empty() && (!s.from.empty() || s.diff)) {
    return "--known does not go with --from or --diff";
  }
  if (s.diff && (words.size() != 2 || !s.from.empty())) return "--diff compares two files: A B";
  if (!s.diff && !words.empty()) return fmt::format("{} belongs to no flag", words.front());
  return "";
}

std::string topology_format_table() {
  std::string text = "\nFormats:";
  for (const topology::TopologyFormat& format : topology::topology_formats()) {
    text += fmt::format("\n  {:<9} {}", format.name, format.what);
  }
  text += "\n\nKnown machines:";
  for (const topology::KnownMachine& machine : topology::known_machines()) {
    text += fmt::format("\n  {:<9} {}", machine.name, machine.what);
  }
  return text;
}

}  // namespace

int run_topo(const Arguments& arguments) {
  TopoSettings s;
  const Flags flags = {
      {"--from", &s.from, "FILE",
       "a description of a machine (- is standard input); else this one"},
      {"--format", &s.format, "F", "how it is written", one_of(topology::topology_format_names())},
      {"--known", &s.known, "NAME", "a machine that many people have", one_of(known_names())},
      {"--diff", &s.diff, "", "compare two descriptions: --diff A B (ends with 1 if they differ)"},
      {"--json", &s.json, "", "print one JSON object"},
      {"--xml", &s.xml, "", "print a file for NCCL_TOPO_FILE"},
      {"--svg", &s.svg, "FILE", "draw the machine and its rings into a file"},
      {"--hosts", &s.hosts, "N", "the rings over N hosts like it", between(1, 1024)},
      {"--choose", &s.choose, "K", "say which K GPUs a job should get, and why",
       between(1, topology::kGpusOfMachineMost)},
      {"--taken", &s.taken, "LIST", "GPUs that others have, as in 0,3: for --choose"},
  };
  const std::string purpose =
      "Shows the GPUs and network adapters of a machine and how they reach each other.\n" +
      topology_format_table();
  const Usage usage = {"ringmaster topo [options] [--from FILE | --diff A B]", purpose,
                       "nvidia-smi topo -m | ringmaster topo --from -", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (const std::string clash = clash_of(s, read.words); !clash.empty()) {
    return fail(s.json, {Errc::invalid, clash}, "see ringmaster topo --help", kExitUsage);
  }
  if (s.diff) return show_difference(s, read.words);
  if (!s.known.empty()) return show_machine(s, *topology::known_machine(s.known));
  if (s.from.empty()) return show_machine(s, topology::read_this_machine());
  const Looked looked = look_at(s, s.from);
  return looked.machine ? show_machine(s, *looked.machine) : looked.exit_code;
}

}  // namespace ringmaster::launcher

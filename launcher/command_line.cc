// SPDX-License-Identifier: Apache-2.0
#include "launcher/command_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::launcher {

namespace {

using Words = std::vector<std::string>;

/// The words of the program that come before the next ':', and those behind it.
struct Cut {
  Words command = {};
  Words rest = {};
  bool again = false;  // there was a ':'
};

/// `rest` is what parse_flags left of `words`: the program and all behind it.
Cut cut_at_colon(const Words& words, const Words& rest) {
  const std::size_t before = words.size() - rest.size();
  const bool literal = before > 0 && words[before - 1] == "--";
  const auto colon = literal ? rest.end() : std::ranges::find(rest, ":");
  Cut cut{.command = {rest.begin(), colon}};
  if (colon == rest.end()) return cut;
  cut.rest.assign(std::next(colon), rest.end());
  cut.again = true;
  return cut;
}

/// What parse_flags says of a later program, unless the option is one of the whole job.
Error later_error(const Error& error, RunSettings& settings) {
  for (const Flag& flag : settings.flags()) {
    for (std::string_view names = flag.names; !names.empty();) {
      const std::size_t comma = names.find(',');
      const std::string_view name = names.substr(0, comma);
      names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
      if (!error.message.starts_with(fmt::format("unknown option {}:", name))) continue;
      return {Errc::invalid, fmt::format("{}: it is for the whole job, and stands before the first "
                                         "program; behind a ':' there are -np, -x, --env-file and "
                                         "--wdir",
                                         name)};
    }
  }
  return error;
}

Error no_program(bool later) {
  return {Errc::invalid, later ? "which program stands behind the ':'? See ringrun --help"
                               : "which program? See ringrun --help"};
}

Result<void> check_programs(const CommandLine& line) {
  for (const ProgramLine& program : line.programs) {
    if (program.settings.directories.size() > 1) {
      return Error{Errc::invalid, "--wdir: given twice"};
    }
    if (line.programs.size() == 1 || program.settings.ranks > 0) continue;
    return Error{Errc::invalid, fmt::format("{}: how many ranks? Each of several programs needs "
                                            "-np N",
                                            program.command.front())};
  }
  return {};
}

}  // namespace

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  CommandLine line;
  Words words = arguments;
  for (bool again = true; again;) {
    const bool later = !line.programs.empty();
    ProgramSettings own;
    const Flags flags = later ? own.flags() : line.settings.flags();
    const auto parsed = parse_flags(flags, words, Rest::command);
    if (!parsed) return later ? later_error(parsed.error(), line.settings) : parsed.error();
    if (parsed->help) return CommandLine{.help = true};
    line.print_config = line.print_config || parsed->print_config;
    Cut cut = cut_at_colon(words, parsed->rest);
    if (cut.command.empty() && line.print_config) return line;
    if (cut.command.empty()) return no_program(later);
    line.programs.push_back({later ? own : line.settings.program, std::move(cut.command)});
    words = std::move(cut.rest);
    again = cut.again;
  }
  if (auto valid = check_programs(line); !valid) return valid.error();
  return line;
}

}  // namespace ringmaster::launcher

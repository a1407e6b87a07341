// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace ringmaster::launcher {

int fail(bool json, const Error& error, std::string_view hint, int exit_code) {
  return fail_as("ringmaster", json, error, hint, exit_code);
}

bool wants_json(const Arguments& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
}

Read read_arguments(const Usage& usage, const Flags& flags, const Arguments& arguments) {
  const auto parsed = parse_flags(flags, arguments, usage.rest);
  if (!parsed) {
    return {false,
            fail(wants_json(arguments), parsed.error(), fmt::format("usage: {}", usage.usage),
                 kExitUsage),
            {}};
  }
  if (parsed->help) {
    fmt::print("{}", help_text(usage.usage, usage.purpose, flags, usage.example));
    return {};
  }
  if (parsed->print_config) {
    fmt::print("{}", config_text(flags));
    return {};
  }
  return {true, 0, parsed->rest};
}

namespace {

std::string list_text(std::string_view program, std::string_view purpose,
                      const std::vector<Command>& commands) {
  std::size_t width = 0;
  for (const Command& command : commands) {
    if (!command.purpose.empty()) width = std::max(width, command.name.size());
  }
  std::string text =
      fmt::format("Usage: {} COMMAND [options]\n\n{}\n\nCommands:\n", program, purpose);
  for (const Command& command : commands) {
    if (command.purpose.empty()) continue;
    text += fmt::format("  {:<{}}  {}\n", command.name, width, command.purpose);
  }
  return text +
         fmt::format("\n`{} COMMAND --help` tells more about one, with an example.\n", program);
}

}  // namespace

int run_command(std::string_view program, std::string_view purpose,
                const std::vector<Command>& commands, const Arguments& arguments) {
  const bool json = wants_json(arguments);
  const std::string see = fmt::format("see {} --help", program);
  if (arguments.empty()) {
    return fail(json, {Errc::invalid, "which command?"}, see, kExitUsage);
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}", list_text(program, purpose, commands));
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.name == name) return command.run({arguments.begin() + 1, arguments.end()});
    if (!command.purpose.empty()) names.emplace_back(command.name);
  }
  const std::string near = suggest(name, names);
  return fail(json, {Errc::not_found, fmt::format("{} is no command of {}", name, program)},
              near.empty() ? see : fmt::format("did you mean {}?", near), kExitUsage);
}

}  // namespace ringmaster::launcher

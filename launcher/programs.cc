// SPDX-License-Identifier: Apache-2.0
#include "launcher/programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "launcher/hostlist/read_source.h"

namespace ringmaster::launcher {

namespace {

Result<std::vector<hostlist::Source>> read_env_files(const std::vector<std::string>& paths) {
  std::vector<hostlist::Source> files;
  for (const std::string& path : paths) {
    auto file = hostlist::read_source(path);
    if (!file) {
      return Error{Errc::invalid, fmt::format("--env-file {}: {}", hostlist::on_one_line(path),
                                              file.error().message)};
    }
    files.push_back(std::move(*file));
  }
  return files;
}

/// Whole, so that ranks find it in PWD as a shell would have left it.
Result<std::string> whole_path(const std::string& directory) {
  if (directory.empty()) return Error{Errc::invalid, "--wdir \"\": it names no folder"};
  std::error_code code;
  const auto whole = std::filesystem::absolute(directory, code);
  if (code) return Error{Errc::io, fmt::format("--wdir {}: {}", directory, code.message())};
  return whole.lexically_normal().string();
}

Result<RankProgram> read_program(const ProgramLine& line, const std::vector<std::string>& inherited,
                                 std::vector<std::string>& remarks) {
  RankProgram program{.command = line.command, .ranks = static_cast<int>(line.settings.ranks)};
  const auto files = read_env_files(line.settings.env_files);
  if (!files) return files.error();
  auto chosen = choose_variables(line.settings.exports, *files, inherited);
  if (!chosen) return chosen.error();
  program.variables = std::move(chosen->variables);
  remarks.insert(remarks.end(), chosen->remarks.begin(), chosen->remarks.end());
  if (line.settings.directories.empty()) return program;
  auto directory = whole_path(line.settings.directories.front());
  if (!directory) return directory.error();
  program.working_directory = std::move(*directory);
  const auto is_chosen = [](const auto& variable) { return variable.first == "PWD"; };
  if (std::ranges::none_of(program.variables, is_chosen)) {
    program.variables.emplace_back("PWD", program.working_directory);
  }
  return program;
}

}  // namespace

Result<Programs> read_programs(const CommandLine& line, const std::vector<std::string>& inherited) {
  Programs read;
  for (const ProgramLine& each : line.programs) {
    auto program = read_program(each, inherited, read.remarks);
    if (!program) return program.error();
    read.programs.push_back(std::move(*program));
  }
  return read;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  return variables;
}

}  // namespace ringmaster::launcher

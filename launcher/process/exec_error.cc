// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/exec_error.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/check.h"

namespace ringmaster::launcher {
namespace {

std::string seen_from(const std::string& directory, const std::string& file) {
  return directory.empty() || file.starts_with('/') ? file : directory + "/" + file;
}

bool file_exists(const std::string& file) {
  return ::access(file.c_str(), F_OK) == 0;
}

/// The first line, as far as the kernel reads it.
std::string first_line(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 256> text = {};
  stream.read(text.data(), text.size());
  const std::string start(text.data(), static_cast<std::size_t>(stream.gcount()));
  return start.substr(0, start.find('\n'));
}

/// The interpreter that a "#!" line names, or "".
std::string interpreter_of(const std::string& line) {
  if (!line.starts_with("#!")) return "";
  const std::size_t start = line.find_first_not_of(" \t", 2);
  if (start == line.npos) return "";
  return line.substr(start, line.find_first_of(" \t", start) - start);
}

Error missing(const std::string& program, const std::string& directory) {
  if (program.find('/') != program.npos || program.empty())
    return errno_error(ENOENT, program.empty() ? "the empty program name" : program);
  const bool here = file_exists(seen_from(directory, "./" + program));
  const auto hint = here ? fmt::format(" (there is one here: ./{})", program) : "";
  return {Errc::not_found, fmt::format("{}: not found on PATH{}", program, hint)};
}

/// execve said ENOENT, and the file is there.
std::string missing_interpreter(const std::string& file) {
  auto interpreter = interpreter_of(first_line(file));
  if (interpreter.empty()) return "the loader that it was linked for is not on this host";
  if (!interpreter.ends_with('\r'))
    return fmt::format("bad interpreter: {}: No such file or directory", interpreter);
  interpreter.pop_back();
  return fmt::format("bad interpreter: {}: the \"#!\" line ends in a carriage return", interpreter);
}

std::string no_permission(const std::string& program, const std::string& file) {
  struct stat info = {};
  if (::stat(file.c_str(), &info) != 0) return std::strerror(EACCES);
  if (S_ISDIR(info.st_mode)) return std::strerror(EISDIR);
  if (!S_ISREG(info.st_mode)) return "Permission denied: it is no regular file";
  if (::access(file.c_str(), X_OK) != 0)
    return fmt::format("Permission denied: it is not executable (try: chmod +x {})", program);
  const auto interpreter = interpreter_of(first_line(file));
  if (interpreter.empty()) return std::strerror(EACCES);
  return fmt::format("bad interpreter: {}: Permission denied", interpreter);
}

std::string no_format(const std::string& file) {
  const auto line = first_line(file);
  if (line.starts_with("\177ELF")) return "Exec format error: it was built for another machine";
  return "Exec format error: it is no program, and has no \"#!\" line that names one";
}

}  // namespace

Error exec_error(const std::string& program, const std::vector<std::string>& candidates,
                 std::size_t failed, int error_number, const std::string& directory) {
  CHECK_LT(failed, candidates.size());
  std::string file = seen_from(directory, candidates[failed]);
  if (error_number == ENOENT) {
    // PATH was searched to its end: any candidate that is there lacks its interpreter.
    for (const auto& candidate : candidates) {
      file = seen_from(directory, candidate);
      if (!program.empty() && file_exists(file))
        return {Errc::denied, fmt::format("{}: {}", program, missing_interpreter(file))};
    }
    return missing(program, directory);
  }
  if (error_number == EACCES)
    return {Errc::denied, fmt::format("{}: {}", program, no_permission(program, file))};
  if (error_number == ENOEXEC)
    return {Errc::denied, fmt::format("{}: {}", program, no_format(file))};
  return {Errc::denied, fmt::format("{}: {}", program, std::strerror(error_number))};
}

}  // namespace ringmaster::launcher

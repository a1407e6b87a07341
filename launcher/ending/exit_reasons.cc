// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/exit_reasons.h"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace ringmaster::launcher {

namespace {

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string core_words(const std::string& root, const EndedProcess& ended) {
  const std::string kernel = root + "/proc/sys/kernel/";
  const std::string pattern = first_line_of(kernel + "core_pattern");
  if (pattern.starts_with('|')) {
    const std::string program = pattern.substr(1, pattern.find(' ') - 1);
    return fmt::format("core dumped into {}", program);
  }
  const bool adds_pid = first_line_of(kernel + "core_uses_pid") == "1";
  std::error_code error;
  const std::string folder =
      ended.folder.empty() ? std::filesystem::current_path(error).string() : ended.folder;
  const std::string path = core_path(pattern, adds_pid, folder, ended.pid, ended.status.signal);
  // The program may have gone to another folder before it ended.
  if (path.empty() || !std::filesystem::exists(path, error)) return "core dumped";
  return fmt::format("core dumped to {}", path);
}

}  // namespace

std::string core_path(const std::string& pattern, bool adds_pid, const std::string& folder,
                      pid_t pid, int signal) {
  std::string name;
  bool has_pid = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      name += pattern[at];
      continue;
    }
    const char what = at + 1 < pattern.size() ? pattern[++at] : '\0';
    if (what == '%') {
      name += '%';
    } else if (what == 'p') {
      name += fmt::format("{}", pid);
      has_pid = true;
    } else if (what == 's') {
      name += fmt::format("{}", signal);
    } else {
      return "";
    }
  }
  if (name.empty()) return "";
  if (adds_pid && !has_pid) name += fmt::format(".{}", pid);
  return name.starts_with('/') ? name : folder + "/" + name;
}

std::string ExitReasons::of(const EndedProcess& ended) {
  if (ended.dumped) return core_words(root_, ended);
  if (ended.status.success() || ended.killed) return "";
  return memory_.explain(ended.status.signal == SIGKILL);
}

}  // namespace ringmaster::launcher

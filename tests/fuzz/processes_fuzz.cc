// SPDX-License-Identifier: Apache-2.0
//
// Lines as of /proc/PID/stat, and the trees that they make: whatever parents they name, every
// process is found once at most, and neither the root nor a kept one is.
#include <set>

#include "base/check.h"
#include "launcher/process/descendants.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using launcher::ProcessInfo;

void check_tree(const std::vector<ProcessInfo>& all, pid_t root, const std::vector<pid_t>& keep) {
  std::set<pid_t> found;
  for (const ProcessInfo& process : launcher::descendants_of(root, all, keep)) {
    CHECK(found.insert(process.pid).second);
    CHECK_NE(process.pid, root);
    for (const pid_t kept : keep) CHECK_NE(process.pid, kept);
    CHECK(process.parent == root || found.contains(process.parent));
  }
}

void run(std::string_view input) {
  std::vector<ProcessInfo> all;
  // The separator is a byte that no text of the kernel holds: a name may have newlines.
  while (!input.empty()) {
    const auto line = input.substr(0, input.find('\xff'));
    input.remove_prefix(std::min(line.size() + 1, input.size()));
    const auto process = launcher::parse_process_stat(line);
    if (!process) continue;
    CHECK(line.find(process->name) != std::string_view::npos);
    all.push_back(*process);
  }
  if (all.empty()) return;
  check_tree(all, all.front().pid, {});
  check_tree(all, all.front().parent, {all.back().pid});
}

std::string stat(int pid, const std::string& name, int parent) {
  return std::to_string(pid) + " (" + name + ") S " + std::to_string(parent) +
         " 7 7 34816 7 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1000000 200 18446744073709551615 1 "
         "1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
}

}  // namespace

Target processes_target() {
  const std::string tree = stat(10, "python3", 1) + '\xff' + stat(11, "a) R 1 (b", 10) + '\xff' +
                           stat(12, "new\nline", 11) + '\xff' + stat(13, "", 12);
  const std::string circle = stat(10, "x", 11) + '\xff' + stat(11, "y", 10);
  return {"processes", {stat(1, "init", 0), tree, circle, ") 1 ( S 2", ""}, &run, 20000};
}

}  // namespace ringmaster::fuzz

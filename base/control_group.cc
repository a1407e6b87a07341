// SPDX-License-Identifier: Apache-2.0
#include "base/control_group.h"

#include <algorithm>
#include <fstream>

namespace ringmaster {

std::string own_control_group(const std::string& root, std::string_view controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string names = ",";
    names.append(line, first + 1, second - first - 1);
    names += ',';
    const bool found = controller.empty()
                           ? names == ",,"
                           : names.find("," + std::string(controller) + ",") != std::string::npos;
    if (found) return line.substr(second + 1);
  }
  return "";
}

std::string group_above(const std::string& group) {
  const auto slash = group.rfind('/');
  if (slash == std::string::npos || group == "/") return "";
  return group.substr(0, std::max<std::size_t>(slash, 1));
}

}  // namespace ringmaster

// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/surroundings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <random>

#include "launcher/host_facts.h"
#include "launcher/programs.h"

namespace ringmaster::launcher {

std::optional<std::string> variable_in(const Surroundings& around, std::string_view name) {
  for (const std::string& variable : around.environment) {
    const std::size_t equals = variable.find('=');
    if (std::string_view(variable).substr(0, equals) == name && equals != std::string::npos) {
      return variable.substr(equals + 1);
    }
  }
  return std::nullopt;
}

Surroundings read_surroundings() {
  const HostFacts facts = read_host_facts();
  std::random_device source;
  return {.environment = own_environment(),
          .cpus = facts.cpus,
          .gpus = facts.gpus,
          .names = read_own_names(),
          .random = fmt::format("{:08x}{:x}", source(), ::getpid())};
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "launcher/host/state_home.h"

namespace ringmaster::launcher {

StateHome StateHome::from_environment() {
  const char* home = std::getenv("RINGMASTER_HOME");
  if (home != nullptr && *home != '\0') return StateHome(home);
  const char* user = std::getenv("HOME");
  return StateHome(std::string(user != nullptr ? user : "/tmp") + "/.ringmaster");
}

}  // namespace ringmaster::launcher

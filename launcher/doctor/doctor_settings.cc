// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/doctor_settings.h"

#include <cstdlib>

namespace ringmaster::launcher::doctor {

std::string read_temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

}  // namespace ringmaster::launcher::doctor

// SPDX-License-Identifier: Apache-2.0
#include "launcher/exit_codes.h"

#include <fmt/format.h>

#include "launcher/error_output.h"

namespace ringmaster::launcher {

int exit_code_of_plan(const Error& error) {
  switch (error.code) {
    case Errc::exhausted:
      return kExitTooFew;
    case Errc::not_found:
      return kExitOtherHosts;
    case Errc::invalid:
    case Errc::denied:
    case Errc::io:
    case Errc::corrupt:
    case Errc::timed_out:
    case Errc::generation_changed:
    case Errc::mismatch:
    case Errc::closed:
    case Errc::exists:
    case Errc::fenced:
      return kExitUsage;
  }
  CHECK(false);
}

std::string exit_codes_text() {
  return fmt::format(
      "{} wrong command line; {} --no-progress-timeout; {} too few slots, cores, GPUs or open "
      "files;\n{} a host list that "
      "cannot be used; {} ranks on other hosts; {} --timeout; {} not executable;\n{} not found; "
      "128 + n signal n, as 130 after Ctrl-C",
      kExitUsage, kExitNoProgress, kExitTooFew, kExitHostList, kExitOtherHosts, kExitTimeout,
      kExitNotExecutable, kExitNotFound);
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// Values of RINGMASTER_JOB, which any process may hold: only text of the right shape can name an
// abandoned job, and never one whose processes live.
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "launcher/process/sweep.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

std::string own_tag() {
  return launcher::job_tag(::getpid(), ::getpid());
}

void run(std::string_view input) {
  if (!launcher::is_abandoned(input)) return;
  CHECK_EQ(std::count(input.begin(), input.end(), '.'), std::ptrdiff_t{3});
  CHECK(input.find_first_not_of("0123456789.") == std::string_view::npos);
  CHECK(input != own_tag());
}

}  // namespace

Target tag_target() {
  return {"tag",
          {own_tag(), "1.2.3.4", "4294967297.1.4294967297.1", "1.0.1.0",
           "18446744073709551615.1.18446744073709551615.1", "..."},
          &run,
          20000};
}

}  // namespace ringmaster::fuzz

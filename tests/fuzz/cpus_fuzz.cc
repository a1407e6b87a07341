// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/check.h"
#include "base/cpus.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void run(std::string_view input) {
  const double cpus = parse_cpu_max(input);
  CHECK(std::isfinite(cpus));
  CHECK_LE(0.0, cpus);
}

}  // namespace

Target cpus_target() {
  return {
      "cpus", {"max 100000\n", "150000 100000\n", "-1\n 100000\n", "1e308 1e-5", ""}, &run, 20000};
}

}  // namespace ringmaster::fuzz

// SPDX-License-Identifier: Apache-2.0
//
// The values of --drill and --elastic: what is accepted says the same when it is written out.
#include <fmt/format.h>

#include "base/check.h"
#include "launcher/plan.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void run(std::string_view input) {
  const std::string text(input);
  if (const auto drill = launcher::parse_drill(text)) {
    CHECK_LE(0, drill->rank);
    CHECK_LE(1, drill->steps);
    const auto again = launcher::parse_drill(fmt::format("kill:{}@{}", drill->rank, drill->steps));
    CHECK(again.ok());
    CHECK_EQ(again->rank, drill->rank);
    CHECK_EQ(again->steps, drill->steps);
  } else {
    CHECK(!drill.error().message.empty());
  }
  if (const auto bounds = launcher::parse_elastic(text)) {
    CHECK_LE(1, bounds->first);
    CHECK_LE(bounds->first, bounds->second);
    const auto again = launcher::parse_elastic(fmt::format("{}:{}", bounds->first, bounds->second));
    CHECK(again.ok());
    CHECK(*again == *bounds);
  } else {
    CHECK(!bounds.error().message.empty());
  }
}

}  // namespace

Target plan_target() {
  return {"plan", {"kill:1@200", "kill:0@1", "2:4", "1:4096", "4:2", "kill:@", ":"}, &run, 20000};
}

}  // namespace ringmaster::fuzz

// SPDX-License-Identifier: Apache-2.0
//
// From what was seen of a host to what would spoil a run there.
//
// A table of checks, each a function of the facts alone. No check looks at another's answer, so one
// that is wrong or missing leaves the others as they are; what two checks see of one fault (a GPU
// that is lost, and its Xid) is said twice.
//
// Pure.
#pragma once

#include <string_view>
#include <vector>

#include "launcher/doctor/facts.h"
#include "launcher/doctor/finding.h"

namespace ringmaster::launcher::doctor {

struct Check {
  std::string_view name;
  std::string_view what;   // it looks at; docs/doctor.md has these lines
  std::string_view worst;  // the highest level that it can come to
  Verdicts (*judge)(const Facts& facts);
};

const std::vector<Check>& checks();

/// All findings, in the order of the checks; each check has at least one.
std::vector<Finding> diagnose(const Facts& facts);

/// The worst level among them.
Level worst_of(const std::vector<Finding>& findings);

}  // namespace ringmaster::launcher::doctor

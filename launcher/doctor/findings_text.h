// SPDX-License-Identifier: Apache-2.0
//
// Findings for people, one line each with the worst first, and for programs as one JSON object.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/doctor/finding.h"

namespace ringmaster::launcher::doctor {

/// What is not fine, and one line of how many checks were; with `all` every finding.
std::string findings_text(const std::vector<Finding>& findings, bool all, bool colours);

/// {"worst":"note","findings":[{"check":..,"level":..,"seen":..,"advice":..}, ..]}.
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace ringmaster::launcher::doctor

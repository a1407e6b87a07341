// SPDX-License-Identifier: Apache-2.0
//
// Hosts where all is well but for one thing, as a table: which check says what. Only tests include
// it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "launcher/doctor/diagnose.h"
#include "launcher/doctor/sample_facts_for_test.h"

namespace ringmaster::launcher::doctor {

inline constexpr std::uint64_t kMega = 1ULL << 20, kGiga = 1ULL << 30;

struct Sick {
  const char* check;
  Level level;
  const char* said;  // a part of what was seen
  std::function<void(Facts&)> make;
  std::vector<std::string> also = {};  // other checks that see it, too
};

/// The worst verdict of the check.
inline Verdict verdict_of(const std::vector<Finding>& findings, const std::string& check) {
  Verdict worst{Level::ok, "no such check"};
  bool found = false;
  for (const Finding& finding : findings) {
    if (finding.check != check || (found && finding.verdict.level <= worst.level)) continue;
    worst = finding.verdict;
    found = true;
  }
  return worst;
}

/// The checks that are not fine.
inline std::set<std::string> loud_checks(const std::vector<Finding>& findings) {
  std::set<std::string> loud;
  for (const Finding& finding : findings) {
    if (finding.verdict.level != Level::ok) loud.insert(finding.check);
  }
  return loud;
}

/// Each check fires as the case says, and no other does.
inline void expect_all(const std::vector<Sick>& cases) {
  for (const Sick& sick : cases) {
    Facts facts = healthy_host();
    sick.make(facts);
    const auto findings = diagnose(facts);
    const Verdict verdict = verdict_of(findings, sick.check);
    EXPECT_EQ(level_name(verdict.level), std::string(level_name(sick.level)))
        << sick.check << ": " << verdict.seen;
    EXPECT_NE(verdict.seen.find(sick.said), std::string::npos)
        << sick.check << ": " << verdict.seen << "\nlacks: " << sick.said;
    std::set<std::string> expected(sick.also.begin(), sick.also.end());
    if (sick.level != Level::ok) expected.insert(sick.check);
    EXPECT_EQ(loud_checks(findings), expected) << sick.check << ": " << sick.said;
  }
}

}  // namespace ringmaster::launcher::doctor

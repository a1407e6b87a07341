// SPDX-License-Identifier: Apache-2.0
//
// What must hold of all checks; each has its cases beside the file that it is in.
#include "launcher/doctor/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "launcher/doctor/findings_text.h"
#include "launcher/doctor/sample_facts_for_test.h"
#include "launcher/doctor/sick_hosts_for_test.h"

namespace ringmaster::launcher::doctor {
namespace {

TEST(Diagnose, AHealthyHostHasNothingToSay) {
  const auto findings = diagnose(healthy_host());
  EXPECT_EQ(loud_checks(findings), std::set<std::string>());
  EXPECT_EQ(worst_of(findings), Level::ok);
  EXPECT_EQ(findings_text(findings, false, false),
            fmt::format("{0} of {0} checks are fine\n", checks().size()));
}

TEST(Diagnose, AHostOfWhichNothingIsKnownHasNoFault) {
  const auto findings = diagnose(Facts{});
  EXPECT_LE(worst_of(findings), Level::unknown);
}

TEST(Diagnose, NoGpuIsANormalMachine) {
  Facts facts = healthy_host();
  facts.machine.gpus.clear();
  facts.driver = {};
  facts.libraries = {};
  facts.xids.reset();
  EXPECT_EQ(loud_checks(diagnose(facts)), std::set<std::string>());
  facts.driver.error = "libnvidia-ml.so.1: cannot open shared object file";
  facts.driver.no_library = true;
  EXPECT_EQ(loud_checks(diagnose(facts)), std::set<std::string>());
  facts.driver = {};
  facts.driver.checks = topology::DriverChecks{.error = "Driver Not Loaded"};
  EXPECT_EQ(loud_checks(diagnose(facts)), std::set<std::string>());
}

/// What must hold of any findings.
void expect_consistent(const std::vector<Finding>& findings) {
  std::map<std::string, int> said;
  Level worst = Level::ok;
  for (const Finding& finding : findings) {
    ++said[finding.check];
    worst = std::max(worst, finding.verdict.level);
    EXPECT_EQ(finding.verdict.level >= Level::note, !finding.verdict.advice.empty());
    EXPECT_FALSE(finding.verdict.seen.empty());
  }
  EXPECT_EQ(worst_of(findings), worst);
  for (const Check& check : checks()) EXPECT_GE(said[std::string(check.name)], 1) << check.name;
  EXPECT_EQ(said.size(), checks().size());
  const auto json = nlohmann::json::parse(findings_json(findings));
  EXPECT_EQ(json["findings"].size(), findings.size());
  EXPECT_EQ(json["worst"], level_name(worst));
  const std::string all = findings_text(findings, true, false);
  EXPECT_EQ(static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n')),
            findings.size() + 1);
}

TEST(Diagnose, AnyFactsGiveConsistentFindings) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Facts facts = random.chance(0.2) ? Facts{} : healthy_host();
    for (std::uint64_t changes = random.below(20); changes > 0; --changes) {
      change_something(random, facts);
    }
    expect_consistent(diagnose(facts));
  }
}

TEST(Diagnose, NoCheckSaysWorseThanThePageTells) {
  std::map<std::string_view, std::string_view> most;
  for (const Check& check : checks()) most[check.name] = check.worst;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Facts facts = healthy_host();
    for (int i = 0; i < 10; ++i) change_something(random, facts);
    for (const Finding& finding : diagnose(facts)) {
      const auto rank = [](std::string_view name) {
        for (const Level level : {Level::note, Level::warning, Level::problem}) {
          if (name == level_name(level)) return level;
        }
        return Level::ok;
      };
      EXPECT_LE(rank(level_name(finding.verdict.level)), rank(most[finding.check]))
          << finding.check << ": " << finding.verdict.seen;
    }
  }
}

TEST(Diagnose, ThePageHasTheTable) {
  std::ifstream file(std::string(RINGMASTER_SOURCE_DIR) + "/docs/doctor.md");
  std::stringstream page;
  page << file.rdbuf();
  std::set<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) rows.insert(line);
  }
  for (const Check& check : checks()) {
    const std::string row = fmt::format("| `{}` | {} | {} |", check.name, check.what, check.worst);
    EXPECT_EQ(rows.erase(row), 1U) << "docs/doctor.md lacks:\n" << row;
  }
  EXPECT_EQ(rows, std::set<std::string>()) << "docs/doctor.md has checks that are none";
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

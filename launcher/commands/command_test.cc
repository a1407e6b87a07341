// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "launcher/report/sample_run.h"

namespace ringmaster::launcher {
namespace {

int eleven(const Arguments& arguments) {
  return arguments.empty() ? 11 : 12;
}

const std::vector<Command> kCommands = {{"report", "shows", eleven}, {"hidden", "", eleven}};

int run(const Arguments& arguments) {
  return run_command("ringmaster", "p", kCommands, arguments);
}

TEST(Command, RunsTheOneThatIsNamed) {
  EXPECT_EQ(run({"report"}), 11);
  EXPECT_EQ(run({"report", "x"}), 12);
  EXPECT_EQ(run({"hidden"}), 11);
}

TEST(Command, ATypoGetsASuggestion) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"reprot"}), kExitUsage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ringmaster: reprot is no command of ringmaster (did you mean report?)\n");
}

TEST(Command, HelpListsWhatPeopleStart) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run({"--help"}), 0);
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_NE(help.find("report  shows"), std::string::npos) << help;
  EXPECT_EQ(help.find("hidden"), std::string::npos) << help;
}

TEST(Command, ErrorsAreObjectsForPrograms) {
  EXPECT_EQ(error_json({Errc::not_found, "read \"x\""}, "look"),
            R"({"error":{"code":"not_found","message":"read \"x\"","hint":"look"}})");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"nothing-like-it", "--json"}), kExitUsage);
  EXPECT_EQ(testing::internal::GetCapturedStderr().substr(0, 9), "{\"error\":");
}

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    metrics_ = testing::TempDir() + "report-" + name + ".jsonl";
    page_ = testing::TempDir() + "report-" + name + ".html";
  }
  void TearDown() override {
    std::filesystem::remove(metrics_);
    std::filesystem::remove(page_);
  }
  void write(const std::string& text) { std::ofstream(metrics_) << text; }
  std::string metrics_, page_;
};

TEST_F(ReportCommand, WritesThePage) {
  write(sample_run());
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_report({metrics_, "-o", page_}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "report: " + page_ + "\n");
  std::ostringstream page;
  page << std::ifstream(page_).rdbuf();
  EXPECT_NE(page.str().find("</html>"), std::string::npos);
}

TEST_F(ReportCommand, FailsOnALedgerThatDoesNotAddUpAndStillWritesThePage) {
  std::string text = sample_run();
  const auto at = text.find("\"counted\":256");
  text.replace(at, 13, "\"counted\":255");
  write(text);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_report({metrics_, "-o", page_}), kExitFailed);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("ledger"), std::string::npos);
  testing::internal::GetCapturedStdout();
  EXPECT_TRUE(std::filesystem::exists(page_));
}

TEST_F(ReportCommand, SaysWhatItNeeds) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_report({}), kExitUsage);
  EXPECT_EQ(run_report({"/nowhere/at-all.jsonl"}), kExitFailed);
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_NE(errors.find("takes one metrics file"), std::string::npos) << errors;
  EXPECT_NE(errors.find("/nowhere/at-all.jsonl: No such file"), std::string::npos) << errors;
}

}  // namespace
}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// The examples do what their first lines promise, alone and through losses.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/random.h"
#include "base/sanitized.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

// Long enough for kills in the first tenth of a second and what follows them.
const std::string kManySteps = kSanitized ? "2000" : "8000";
constexpr const char* kLine = "y = 3.0000 x + 1.0000 after 2000 steps\n";

class Example : public testing::TestWithParam<const char*> {};

TEST_P(Example, Alone) {
  const Ended ended = run_program({GetParam()});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(ended.output, kLine);
}

TEST_P(Example, AsAPlainJob) {
  const Ended ended = run_program({"ringrun", "-np", "2", GetParam()});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(ended.output, kLine);
}

TEST_P(Example, GoesOnAfterADrill) {
  const Ended ended =
      run_program({"ringrun", "-np", "3", "--elastic", "1:3", "--drill", "kill:1@300", GetParam()});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(ended.output, kLine);
  EXPECT_TRUE(contains(ended.error, "rank 1 lost: killed by signal 9 (SIGKILL)")) << ended.error;
}

TEST_P(Example, GoesOnAfterKillsAtAnyMoment) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Program program({"ringrun", "-np", "3", "--elastic", "1:3", GetParam(), kManySteps});
    for (int turn = 0; turn < 2; ++turn) {
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(80000)));
      const pid_t pid = program.pid_of_rank(static_cast<int>(random.below(3)));
      if (pid > 0) kill(pid, SIGKILL);
    }
    const Ended ended = program.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_EQ(ended.output, "y = 3.0000 x + 1.0000 after " + kManySteps + " steps\n");
    EXPECT_TRUE(program.leaves_nothing());
  }
}

TEST_P(Example, FailsWhenAllRanksAreKilled) {
  // Before a step is finished there is nothing to lose, and the job would begin anew: so one rank
  // is lost at a step that is known, and all of them when it has been replaced.
  Program program({"ringrun", "-np", "3", "--elastic", "1:3", "--drill", "kill:2@300", GetParam(),
                   "2000000000"});
  // The join alone made a generation, or the loss and the join made one: both end in these words.
  ASSERT_TRUE(program.wait_for_error("rank 2 joins\""));
  // Looked for first and killed in one burst: a replacement has the state within milliseconds.
  std::vector<pid_t> pids;
  for (int rank = 0; rank < 3; ++rank) pids.push_back(program.pid_of_rank(rank));
  for (const pid_t pid : pids) {
    ASSERT_GT(pid, 0);
    kill(pid, SIGKILL);
  }
  const Ended ended = program.wait();
  EXPECT_EQ(ended.exit_code, 137);
  const auto failed = lines_with(ended.error, "ringrun: failed: ");
  ASSERT_EQ(failed.size(), 1u) << ended.error;
  EXPECT_TRUE(contains(failed[0], "killed by signal 9 (SIGKILL)")) << failed[0];
  EXPECT_TRUE(program.leaves_nothing());
}

INSTANTIATE_TEST_SUITE_P(Programs, Example,
                         testing::Values("elastic-c", "elastic-cpp", "tensors-c"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The program checks every element of every sum.
TEST(AllreduceProgram, SumsAreRightInEveryKindOfMemory) {
  for (const char* ranks : {"2", "3"}) {
    for (const char* memory : {"ordinary", "allocated", "registered"}) {
      const Ended ended =
          run_program({"ringrun", "-np", ranks, "allreduce", "4", "1048576", "1", memory});
      EXPECT_EQ(ended.exit_code, 0) << ranks << " " << memory << ": " << ended.error;
      EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 19) << ended.output;
    }
  }
}

}  // namespace
}  // namespace ringmaster::tests

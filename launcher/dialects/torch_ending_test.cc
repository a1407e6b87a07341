// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/torch_ending.h"

#include <gtest/gtest.h>

#include "launcher/clock_text.h"

namespace ringmaster::launcher {
namespace {

jobs::RankId id_of(int rank, std::int64_t incarnation) {
  return {jobs::JobId{1}, jobs::Rank{static_cast<std::uint32_t>(rank)},
          jobs::Incarnation{incarnation}};
}

/// The ranks of the block's entries, in its order.
std::string order_in(const std::string& text) {
  std::string ranks;
  for (std::size_t at = text.find("  rank      : "); at != std::string::npos;
       at = text.find("  rank      : ", at + 1)) {
    ranks += text[at + 14];
  }
  return ranks;
}

TEST(TorchEnding, TheRootCauseIsTheEarliestAndStandsLast) {
  TorchEnding ending;
  ending.hear({id_of(0, 1), {3, 0}}, {100, "", std::nullopt, 50});
  ending.hear({id_of(1, 2), {1, 0}},
              {101, "/l/1/error.json", ErrorReport{"E: x", "T\nE: x", 49}, 51});
  ending.hear({id_of(2, 3), {0, 9}}, {102, "", std::nullopt, 52});
  const std::string text = ending.text("train.py", "n1");
  EXPECT_EQ(order_in(text), "021");
  EXPECT_NE(text.find("train.py FAILED\n"), std::string::npos);
  EXPECT_NE(text.find("  exitcode  : -9 (pid: 102)\n"), std::string::npos);
  EXPECT_NE(text.find("  traceback : Signal 9 (SIGKILL) received by PID 102\n"), std::string::npos);
  EXPECT_NE(text.find("  error_file: /l/1/error.json\n  traceback : T\n  E: x\n"),
            std::string::npos);
  EXPECT_NE(text.find("  error_file: <N/A>\n"), std::string::npos);
}

TEST(TorchEnding, WhoWasStoppedHasNotFailed) {
  TorchEnding ending;
  ending.tell(jobs::SignalRank{id_of(0, 1), 15, ""});
  EXPECT_FALSE(ending.wants_traces(jobs::RankExited{id_of(0, 1), {0, 15}}));
  EXPECT_FALSE(ending.wants_traces(jobs::RankExited{id_of(1, 2), {0, 0}}));
  EXPECT_TRUE(ending.wants_traces(jobs::RankExited{id_of(1, 2), {2, 0}}));
  EXPECT_EQ(ending.text("a", "n1"), "");
}

TEST(TorchEnding, ANewAttemptForgetsTheLast) {
  TorchEnding ending;
  ending.hear({id_of(0, 1), {3, 0}}, {100, "", std::nullopt, 50});
  ending.tell(jobs::StartRank{id_of(0, 5), jobs::HostId{1}, "", 1});
  EXPECT_EQ(ending.text("a", "n1"), "");
  ending.hear(jobs::RankFailed{id_of(1, 6), "called MPI_Abort(3)"});
  ending.hear({id_of(1, 6), {3, 0}}, {100, "", std::nullopt, 60});
  ending.tell(jobs::StartRank{id_of(1, 6), jobs::HostId{1}, "", 1});
  const std::string text = ending.text("a", "n1");
  EXPECT_NE(text.find("<NO_OTHER_FAILURES>"), std::string::npos);
  EXPECT_NE(text.find("traceback : called MPI_Abort(3)\n"), std::string::npos);
}

}  // namespace
}  // namespace ringmaster::launcher

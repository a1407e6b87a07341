// SPDX-License-Identifier: Apache-2.0
//
// The wire between two hosts is cut in the middle of an all-reduce: packets vanish, and no end
// hears that the other is gone.
#include <gtest/gtest.h>

#include "tests/end_to_end/network.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

// Seconds, of an all-reduce: longer than the coordinator's patience with a silent host, 2 s.
constexpr double kTimeOut = 4;
constexpr double kSlack = 3;  // a busy machine's

/// The seconds that a line says the last all-reduce has taken.
double seconds_of(const std::string& line) {
  return std::stod(line.substr(line.find(" after ") + 7));
}

// The ranks near the coordinator are told that the generation has changed, and go on without the
// others; those nobody can tell anything give up by their time-out.
TEST(CutLink, EndsAnAllReduceOnAllRanksAndTheOthersGoOn) {
  Networked all;
  const Network& network = all.network;
  if (!network.ok()) GTEST_SKIP() << "network namespaces need root and ip (iproute2)";
  ASSERT_TRUE(all.start()) << all.why();
  const auto near = all.agent(network.a(), 2);
  const auto far = all.agent(network.b(), 2);
  ASSERT_TRUE(all.has_hosts(2)) << all.why();
  const std::string told = all.folder.file("told");
  const std::string spec =
      all.write_spec("cut", "{min: 2, max: 4}",
                     {built("reduce-on"), told, std::to_string(kTimeOut)}, "{hosts: 2, slots: 2}");
  const auto job = all.begin({"submit", "--follow", spec});
  const auto lines = [&](const std::string& start) { return lines_with(read_text(told), start); };
  // Each of the four says that it begins, that it goes on, and, once, how it ended.
  ASSERT_TRUE(wait_for([&] { return lines("generation 1, ").size() == 8; })) << all.why();
  network.set_wire(false);
  EXPECT_TRUE(wait_for([&] { return lines("generation 1, ").size() == 12; })) << read_text(told);
  std::size_t changed = 0, failed = 0;
  for (const std::string& line : lines("generation 1, ")) {
    if (!contains(line, " after ")) continue;
    EXPECT_LT(seconds_of(line), kTimeOut + kSlack) << line;
    if (contains(line, ": changed")) ++changed;
    if (contains(line, ": failed: all_reduce of 1048576 float32 (max): ")) ++failed;
  }
  EXPECT_EQ(changed, 2U) << read_text(told);
  EXPECT_EQ(failed, 2U) << read_text(told);
  const Ended ended = job->wait(std::chrono::seconds(60));
  EXPECT_EQ(ended.exit_code, 0) << ended.error << all.why();
  // Before others came in the place of the lost ones.
  std::size_t begun = 0;
  for (const std::string& line : lines("generation 2, ")) begun += contains(line, " of 2 begins");
  EXPECT_EQ(begun, 2U) << read_text(told);
  EXPECT_EQ(all.ask({"down"}).exit_code, 0);
}

}  // namespace
}  // namespace ringmaster::tests

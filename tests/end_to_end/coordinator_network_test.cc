// SPDX-License-Identifier: Apache-2.0
//
// Ranks over a real network: in a ring whose wire is cut, and as a plain program that finds itself
// through MASTER_ADDR and MASTER_PORT.
#include <gtest/gtest.h>

#include <set>

#include "tests/end_to_end/network.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

// A second one with the first one's number failed, and removed the first's namespaces as it ended.
TEST(CoordinatorNetwork, TestsBesideEachOtherHaveNetworksOfTheirOwn) {
  const Network first;
  if (!first.ok()) GTEST_SKIP() << "network namespaces need root and ip (iproute2)";
  {
    const Network second;
    EXPECT_TRUE(second.ok());
    EXPECT_NE(second.a(), first.a());
  }
  EXPECT_EQ(Program(first.inside(first.a(), {"true"})).wait().exit_code, 0);
  EXPECT_EQ(Program(first.inside(first.b(), {"true"})).wait().exit_code, 0);
}

TEST(CoordinatorNetwork, AHostBehindACutWireIsLostAndTheOthersGoOn) {
  Networked all;
  const Network& network = all.network;
  if (!network.ok()) GTEST_SKIP() << "network namespaces need root and ip (iproute2)";
  ASSERT_TRUE(all.start()) << all.why();
  const auto near = all.agent(network.a(), 2);
  const auto far = all.agent(network.b(), 2);
  ASSERT_TRUE(all.has_hosts(2)) << all.why();

  const std::string spec = all.write_spec("wired", "{min: 2, max: 4}",
                                          {built("ringmaster-train"), "--model", "tiny", "--data",
                                           data_folder(), "--batch", "24", "--epochs", "1000"},
                                          "{hosts: 2, slots: 2}");
  ASSERT_EQ(all.ask({"submit", spec}).exit_code, 0);
  ASSERT_TRUE(all.explained("wired", "generation 1: 4 ranks are in the ring")) << all.why();
  network.set_wire(false);
  ASSERT_TRUE(all.explained("wired", "silent for 2 s")) << all.why();
  // The two near ranks go on, and what was lost starts on a host that the coordinator makes.
  ASSERT_TRUE(all.explained("wired", "generation 2: 2 ranks")) << all.why();
  EXPECT_TRUE(wait_for([&] { return contains(all.ask({"hosts"}).output, "local-"); }));
  network.set_wire(true);
  const Ended dismissed = far->wait(std::chrono::seconds(60));
  EXPECT_TRUE(contains(dismissed.error, "dismissed")) << dismissed.error;
  EXPECT_TRUE(far->leaves_nothing());
  EXPECT_EQ(all.ask({"down"}).exit_code, 0);
}

TEST(CoordinatorNetwork, RanksOfAPlainProgramMeetWhereRankZeroIs) {
  Networked all;
  const Network& network = all.network;
  if (!network.ok()) GTEST_SKIP() << "network namespaces need root and ip (iproute2)";
  ASSERT_TRUE(all.start()) << all.why();
  // The far host is the first one: rank 0 is there, and the coordinator's own address is wrong.
  const auto far = all.agent(network.b(), 2);
  ASSERT_TRUE(all.has_hosts(1)) << all.why();
  const auto near = all.agent(network.a(), 2);
  ASSERT_TRUE(all.has_hosts(2)) << all.why();
  const auto meet = [&](const std::string& name, const std::string& ranks) {
    const std::string script =
        "exec " + built("meet") + " $RANK $WORLD_SIZE $MASTER_ADDR " + "$MASTER_PORT";
    return all.ask({"submit", "--follow", all.write_spec(name, ranks, {"sh", "-c", script})});
  };
  const Ended four = meet("four", "4");
  EXPECT_EQ(four.exit_code, 0) << four.output << four.error << all.why();
  for (const std::string rank : {"1", "2", "3"}) {
    EXPECT_TRUE(contains(four.output, ":0] rank " + rank + " is here\n")) << four.output;
    EXPECT_TRUE(contains(four.output, ":" + rank + "] met rank 0 at " + network.address_b() + ":"))
        << four.output;
  }
  // Two jobs at once, each with a port of its own.
  std::vector<std::unique_ptr<Program>> both;
  for (const std::string name : {"one", "two"}) {
    const std::string script = "echo port $MASTER_PORT; sleep 0.5";
    both.push_back(
        all.begin({"submit", "--follow", all.write_spec(name, "2", {"sh", "-c", script})}));
  }
  std::set<std::string> ports;
  for (const auto& follow : both) {
    for (const std::string& line : lines_of(follow->wait().output)) {
      if (contains(line, "port")) ports.insert(line.substr(line.rfind(' ') + 1));
    }
  }
  EXPECT_EQ(ports.size(), 2u);
  EXPECT_EQ(all.ask({"down"}).exit_code, 0);
}

}  // namespace
}  // namespace ringmaster::tests

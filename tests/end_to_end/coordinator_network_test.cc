// SPDX-License-Identifier: Apache-2.0
//
// Ranks in a ring over a real network; then the wire is cut.
#include <gtest/gtest.h>

#include "tests/end_to_end/network.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

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

}  // namespace
}  // namespace ringmaster::tests

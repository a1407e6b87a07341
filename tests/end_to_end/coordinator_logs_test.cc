// SPDX-License-Identifier: Apache-2.0
//
// What ranks on another machine print: seen live and afterwards, each byte once, whatever dies.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/sanitized.h"
#include "tests/end_to_end/network.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

constexpr long kResidentMaxKib =
    kSanitized ? 2'000'000 : 200'000;  // what was freed stays there for a while

class CoordinatorLogs : public testing::Test {
 protected:
  void SetUp() override {
    if (!all_.network.ok()) GTEST_SKIP() << "network namespaces need root and ip (iproute2)";
    ASSERT_TRUE(all_.start()) << all_.why();
    far_ = all_.agent(all_.network.b(), 2);
    ASSERT_TRUE(all_.has_hosts(1)) << all_.why();
  }
  void submit(const std::string& name, const std::string& ranks, const std::string& script) {
    const std::string path = all_.folder.file(name + ".sh");
    write_text(path, script);
    const Ended ended = all_.ask({"submit", all_.write_spec(name, ranks, {"sh", path})});
    ASSERT_EQ(ended.exit_code, 0) << ended.error;
  }
  void let_go() const { write_text(go_, "go"); }
  /// Bytes on disk of the files in the folder.
  static std::uint64_t bytes_in(const std::string& folder) {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      bytes += entry.file_size();
    return bytes;
  }

  Networked all_{"5"};
  std::unique_ptr<Program> far_;
  std::string go_ = all_.folder.file("go");
  std::string wait_ = "; until [ -e " + go_ + " ]; do sleep 0.05; done; ";
};

TEST_F(CoordinatorLogs, AreSeenLiveAtTheEndAndAfterDown) {
  submit("talk", "2", "echo begin of $RANK" + wait_ + "printf \"end of $RANK\"");
  const auto follow = all_.begin({"logs", "-f", "talk"});
  EXPECT_TRUE(follow->wait_for_output("[0] begin of 0")) << all_.why();
  EXPECT_TRUE(follow->wait_for_output("[1] begin of 1"));
  EXPECT_FALSE(contains(follow->output(), "end of"));
  let_go();
  const Ended followed = follow->wait();
  EXPECT_EQ(followed.exit_code, 0) << followed.error;
  EXPECT_TRUE(contains(followed.output, "[0] end of 0")) << followed.output;
  EXPECT_TRUE(contains(followed.output, "[1] end of 1")) << followed.output;
  EXPECT_EQ(all_.ask({"logs", "talk"}).output, followed.output);
  EXPECT_EQ(all_.ask({"down"}).exit_code, 0);
  EXPECT_EQ(all_.ask({"logs", "talk"}).output, followed.output);
  // Nothing of it waits at the agent.
  EXPECT_TRUE(std::filesystem::is_empty(all_.folder.file("waiting-" + all_.network.b())));
}

TEST_F(CoordinatorLogs, DownWaitsForTheLastWords) {
  submit("long", "1",
         "trap 'seq 100000; echo over; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
  EXPECT_TRUE(wait_for([&] { return contains(all_.ask({"logs", "long"}).output, "ready"); }));
  EXPECT_EQ(all_.ask({"down"}).exit_code, 0);
  const std::string output = all_.ask({"logs", "long"}).output;
  EXPECT_TRUE(contains(output, "[0] 100000\n[0] over\n")) << output.substr(0, 200);
}

TEST_F(CoordinatorLogs, ACoordinatorThatDiesLosesAndDoublesNoLine) {
  submit("count", "1",
         "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo \"line $i\"; "
         "[ $((i % 20)) -ne 0 ] || sleep 0.02; done" +
             wait_);
  for (const int line : {100, 1000, 2000}) {
    const std::string text = "line " + std::to_string(line) + "\n";
    ASSERT_TRUE(wait_for([&] { return contains(all_.ask({"logs", "count"}).output, text); }));
    all_.kill();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ASSERT_TRUE(all_.start()) << all_.why();
  }
  let_go();
  const Ended followed = all_.begin({"logs", "-f", "count"})->wait();
  EXPECT_EQ(followed.exit_code, 0) << followed.error;
  std::string expected;
  for (int line = 1; line <= 4000; ++line) expected += "[0] line " + std::to_string(line) + "\n";
  EXPECT_TRUE(followed.output == expected) << followed.output.size() << " bytes";
}

TEST_F(CoordinatorLogs, WhatALostHostStillHeldIsALine) {
  submit("cut", "1", "echo before" + wait_);
  ASSERT_TRUE(wait_for([&] { return contains(all_.ask({"logs", "cut"}).output, "before"); }));
  all_.network.set_wire(false);
  // Behind "[" or, as soon as the job is on a second host, "[HOST:".
  const std::string mark = "0] before\n[host " + all_.network.b() +
                           " was lost: what came after byte 11 did not arrive]\n";
  const auto marked = [&] { return contains(all_.ask({"logs", "cut"}).output, mark); };
  EXPECT_TRUE(wait_for(marked)) << all_.ask({"logs", "cut"}).output << all_.why();
  // The next coordinator says it no second time.
  all_.kill();
  ASSERT_TRUE(all_.start()) << all_.why();
  const std::string output = all_.ask({"logs", "cut"}).output;
  EXPECT_TRUE(marked());
  EXPECT_EQ(output.find("was lost"), output.rfind("was lost")) << output;
  EXPECT_EQ(all_.ask({"cancel", "cut"}).exit_code, 0);
}

TEST_F(CoordinatorLogs, WhatNoCoordinatorTookStaysWithTheHost) {
  const auto near = all_.agent(all_.network.a(), 2, {"--abandon-after", "2"});
  ASSERT_TRUE(all_.has_hosts(2)) << all_.why();
  submit("left", "4", "echo first" + wait_ + "echo second; sleep 1000");
  ASSERT_TRUE(wait_for([&] { return contains(all_.ask({"logs", "left"}).output, ":3] first"); }));
  all_.kill();
  let_go();
  const Ended ended = near->wait(std::chrono::seconds(30));
  EXPECT_TRUE(contains(ended.error, "output of job 1 is in ")) << ended.error;
  const std::string folder = all_.folder.file("waiting-" + all_.network.a());
  std::string kept;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    kept += read_text(file.path());
  EXPECT_EQ(kept.find("first"), std::string::npos) << kept;
  EXPECT_TRUE(contains(kept, "second")) << kept;
}

TEST_F(CoordinatorLogs, MuchOutputIsBoundedAndDisturbsNobody) {
  submit("much", "1", "head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo finished");
  const auto follow = all_.begin({"logs", "-f", "much"});
  const Ended followed = follow->wait(std::chrono::seconds(100));
  EXPECT_EQ(followed.exit_code, 0) << followed.error;
  EXPECT_TRUE(contains(all_.ask({"logs", "much"}).output, "bytes lost")) << followed.error;
  EXPECT_TRUE(followed.output.ends_with("finished\n")) << followed.error << all_.why();
  EXPECT_FALSE(contains(all_.why(), "silent")) << all_.why();
  EXPECT_LT(bytes_in(all_.home() + "/jobs/1"), 80'000'000u);
  const std::string status = read_text("/proc/" + std::to_string(all_.serve().pid()) + "/status");
  const std::size_t at = status.find("VmHWM:");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(std::stol(status.substr(at + 6)), kResidentMaxKib);
}

TEST_F(CoordinatorLogs, WhatIsTooMuchForACoordinatorThatIsAwayIsMarked) {
  const std::string printed = all_.folder.file("printed");
  submit("away", "1",
         "echo first" + wait_ +
             "head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 99; "
             "touch " +
             printed + "; sleep 1.5; echo finished");
  ASSERT_TRUE(wait_for([&] { return contains(all_.ask({"logs", "away"}).output, "first"); }));
  all_.kill();
  let_go();
  ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(printed); }));
  ASSERT_TRUE(all_.start()) << all_.why();
  const Ended followed = all_.begin({"logs", "-f", "away"})->wait();
  EXPECT_TRUE(followed.output.starts_with("[0] first\n")) << followed.output.substr(0, 300);
  EXPECT_TRUE(contains(followed.output, "bytes lost")) << followed.output.substr(0, 300);
  EXPECT_TRUE(followed.output.ends_with("finished\n")) << followed.error;
}

}  // namespace
}  // namespace ringmaster::tests

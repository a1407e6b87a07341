// SPDX-License-Identifier: Apache-2.0
//
// What a user does with a coordinator: submit, look, cancel, take hosts away, go and come back.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/random.h"
#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

class CoordinatorTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(coordinator_.start()); }

  std::string training(const std::string& name, int epochs, const std::string& hosts,
                       const std::string& ranks) {
    return coordinator_.write_spec(
        name, ranks, hosts,
        {built("ringmaster-train"), "--model", "tiny", "--data", data_folder(), "--batch", "24",
         "--epochs", std::to_string(epochs), "--metrics", coordinator_.file(name + ".jsonl")});
  }
  /// Waits until `ringmaster WORDS` prints the text.
  bool wait_for(const std::vector<std::string>& words, const std::string& text) {
    for (int round = 0; round < 300; ++round) {
      if (contains(coordinator_.run(words).output, text)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  Coordinator coordinator_;
};

TEST_F(CoordinatorTest, AJobRunsOnTwoHostsAndStaysReadable) {
  const std::string spec = training("pair", 4, "{hosts: 2, slots: 2}", "4");
  const Ended ended = coordinator_.run({"submit", spec, "--follow"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error << coordinator_.log();
  EXPECT_TRUE(contains(ended.output, "accuracy")) << ended.output;
  EXPECT_TRUE(coordinator_.no_hosts_left());
  coordinator_.kill();
  EXPECT_TRUE(contains(coordinator_.run({"status", "pair"}).output, "done"));
  EXPECT_TRUE(contains(coordinator_.run({"status", "1", "--json"}).output, R"("exit_code":0)"));
  EXPECT_TRUE(contains(coordinator_.run({"jobs"}).output, "pair"));
  EXPECT_TRUE(contains(coordinator_.run({"logs", "pair"}).output, "accuracy"));
  EXPECT_TRUE(contains(coordinator_.run({"events", "pair"}).output, "make host local-1"));
  EXPECT_TRUE(contains(coordinator_.run({"explain", "pair"}).output, "generation 1"));
}

TEST_F(CoordinatorTest, ASecondOneOnTheSameStateIsRefused) {
  const Ended second = coordinator_.run({"serve"});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_TRUE(contains(second.error, "a coordinator runs already")) << second.error;
}

TEST_F(CoordinatorTest, AJobWithoutRoomWaitsWithAReasonAndThenRuns) {
  const std::string first = training("first", 200, "{hosts: 1, slots: 2}", "2");
  const std::string second = training("second", 2, "{hosts: 1, slots: 2}", "2");
  EXPECT_EQ(coordinator_.run({"submit", first}).exit_code, 0);
  EXPECT_TRUE(wait_for({"status", "first"}, "running"));
  EXPECT_EQ(coordinator_.run({"submit", second}).exit_code, 0);
  const Ended waiting = coordinator_.run({"status", "second"});
  EXPECT_TRUE(contains(waiting.output, "waiting")) << waiting.output;
  EXPECT_TRUE(contains(waiting.output, "0 of 2 ranks have a free slot")) << waiting.output;
  EXPECT_EQ(coordinator_.run({"cancel", "first"}).exit_code, 0);
  EXPECT_TRUE(wait_for({"status", "second"}, "done"));
  EXPECT_TRUE(coordinator_.no_hosts_left());
}

TEST_F(CoordinatorTest, CancelEndsAJobAndLeavesNothing) {
  const std::string spec = coordinator_.write_spec("sleepers", "2", "{hosts: 1, slots: 2}",
                                                   {"sh", "-c", "setsid sleep 1000 & sleep 1000"});
  EXPECT_EQ(coordinator_.run({"submit", spec}).exit_code, 0);
  EXPECT_TRUE(wait_for({"status", "sleepers"}, "started"));
  EXPECT_EQ(coordinator_.run({"cancel", "sleepers", "--now"}).exit_code, 0);
  EXPECT_TRUE(wait_for({"status", "sleepers"}, "cancelled"));
  EXPECT_TRUE(coordinator_.no_hosts_left());
  const Ended again = coordinator_.run({"cancel", "sleepers"});
  EXPECT_TRUE(contains(again.error, "has ended")) << again.error;
}

TEST_F(CoordinatorTest, AReclaimedHostIsLeftBeforeItIsGone) {
  const std::string spec = training("moved", 60, "{hosts: 2, slots: 2}", "{min: 2, max: 4}");
  const Ended ended =
      coordinator_.run({"submit", spec, "--follow", "--drill", "reclaim:2@300:60s"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_TRUE(contains(ended.error, "moves from host local-2")) << ended.error;
  EXPECT_FALSE(contains(ended.error, "lost")) << ended.error;  // it had all left in time
  EXPECT_TRUE(coordinator_.no_hosts_left());
}

TEST_F(CoordinatorTest, FollowingEndsWithoutEndingTheJob) {
  const std::string spec = training("followed", 400, "{hosts: 1, slots: 2}", "2");
  const auto follower = coordinator_.begin({"submit", spec, "--follow"});
  EXPECT_TRUE(follower->wait_for_error("generation 1"));
  follower->signal(SIGINT);
  const Ended ended = follower->wait();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(contains(ended.error, "come back with: ringmaster logs -f 1")) << ended.error;
  EXPECT_TRUE(contains(coordinator_.run({"status", "followed"}).output, "running"));
  follower->forget();
  const Ended down = coordinator_.run({"down"});
  EXPECT_EQ(down.exit_code, 0) << down.error;
  EXPECT_TRUE(coordinator_.no_hosts_left());
}

TEST_F(CoordinatorTest, JobsAreFoundByNumberOrName) {
  EXPECT_TRUE(contains(coordinator_.run({"status", "none"}).error, "there is no job none"));
  const std::string spec = training("twin", 400, "{hosts: 1, slots: 1}", "1");
  EXPECT_EQ(coordinator_.run({"submit", spec}).exit_code, 0);
  EXPECT_EQ(coordinator_.run({"submit", spec}).exit_code, 0);
  const Ended ambiguous = coordinator_.run({"status", "twin"});
  EXPECT_TRUE(contains(ambiguous.error, "2 jobs are called twin")) << ambiguous.error;
  EXPECT_EQ(coordinator_.run({"status", "2"}).exit_code, 0);
  EXPECT_EQ(coordinator_.run({"down"}).exit_code, 0);
}

TEST_F(CoordinatorTest, AWrongSpecStartsNothing) {
  const std::string spec = coordinator_.file("wrong.yaml");
  write_text(spec, "name: wrong\ncommand: [true]\nranks: -1\n");
  const Ended ended = coordinator_.run({"submit", spec});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(contains(ended.error, "wrong.yaml:2:11")) << ended.error;
  EXPECT_FALSE(contains(coordinator_.run({"jobs"}).output, "wrong"));
}

TEST_F(CoordinatorTest, AProgramThatIsNotThereFailsTheJobWithItsCode) {
  const std::string spec =
      coordinator_.write_spec("absent", "1", "{hosts: 1, slots: 1}", {"no-such-program"});
  const Ended ended = coordinator_.run({"submit", spec, "--follow"});
  EXPECT_EQ(ended.exit_code, 127) << ended.error;
  EXPECT_TRUE(contains(ended.error, "no-such-program")) << ended.error;
  EXPECT_TRUE(coordinator_.no_hosts_left());
}

TEST_F(CoordinatorTest, AnAgentThatDiesBeforeItHasJoinedIsMadeAnew) {
  const std::string spec = training("reborn", 4, "{hosts: 2, slots: 2}", "4");
  EXPECT_EQ(coordinator_.run({"submit", spec}).exit_code, 0);
  int killed = 0;
  for (int look = 0; look < 1000 && killed == 0; ++look) {
    for (const auto& host : coordinator_.agents()) {
      ::kill(host[static_cast<std::size_t>(look % 2)], SIGKILL);
      ++killed;
    }
  }
  const Ended ended = coordinator_.run({"logs", "-f", "reborn"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error << coordinator_.log();
  EXPECT_TRUE(coordinator_.no_hosts_left());
}

// What it prints is taken by the variable that it names.
TEST_F(CoordinatorTest, CalibrationMeasuresTheNetworkBetweenTwoHosts) {
  const std::vector<std::string> words = {built("ringmaster"), "calibrate", "--effort-ms", "5"};
  const std::string spec = coordinator_.write_spec("apart", "2", "{hosts: 2, slots: 1}", words);
  EXPECT_EQ(coordinator_.run({"submit", spec}).exit_code, 0);
  const Ended ended = coordinator_.run({"logs", "-f", "apart"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error << coordinator_.log();
  const std::string variable = "RINGMASTER_ALGORITHM=";
  const std::size_t at = ended.output.find(variable + "round_us=");
  ASSERT_NE(at, std::string::npos) << ended.output << ended.error;
  const std::string choice = lines_of(ended.output.substr(at + variable.size())).at(0);
  const Ended taken = coordinator_.run({"schedule", "--bytes", "4096", "--algorithm", choice});
  EXPECT_EQ(taken.exit_code, 0) << taken.error;

  const std::string together = coordinator_.write_spec("one", "2", "{hosts: 1, slots: 2}", words);
  EXPECT_EQ(coordinator_.run({"submit", together}).exit_code, 0);
  const Ended refused = coordinator_.run({"logs", "-f", "one"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(contains(refused.error + refused.output, "needs one rank on each of several hosts"))
      << refused.error << refused.output;
}

TEST_F(CoordinatorTest, RandomBytesOnItsPortDisturbNoJob) {
  const std::string spec = training("busy", 30, "{hosts: 2, slots: 1}", "2");
  EXPECT_EQ(coordinator_.run({"submit", spec}).exit_code, 0);
  const std::string endpoint = read_text(coordinator_.home() + "/endpoint");
  const int port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const FileDescriptor foreign(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(foreign.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    std::string bytes(random.below(2000), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    static_cast<void>(::send(foreign.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  EXPECT_EQ(coordinator_.run({"logs", "-f", "busy"}).exit_code, 0);
}

TEST_F(CoordinatorTest, AnAgentOfAnotherMachineTakesRanksAndAWrongKeyDoesNot) {
  const std::string endpoint = lines_of(read_text(coordinator_.home() + "/endpoint")).at(0);
  const std::string key = coordinator_.file("agent.key");
  EXPECT_EQ(coordinator_.run({"keygen", "-o", key}).exit_code, 0);
  const auto agent = coordinator_.begin(
      {"agent", "--join", endpoint, "--key", key, "--slots", "2", "--name", "far"});
  EXPECT_TRUE(wait_for({"hosts"}, "far")) << coordinator_.log();
  const std::string spec = training("guest", 4, "{hosts: 1, slots: 2}", "2");
  EXPECT_EQ(coordinator_.run({"submit", spec, "--follow"}).exit_code, 0);
  EXPECT_FALSE(contains(coordinator_.run({"events", "guest"}).output, "make host"));
  // Another coordinator's key: never let in, and said so.
  Coordinator other;
  ASSERT_NO_FATAL_FAILURE(other.start());
  std::string foreign = read_text(other.home() + "/client.key");
  const std::string own = read_text(key);
  foreign = lines_of(foreign).at(0) + "\n" + lines_of(foreign).at(1) + "\n" + lines_of(own).at(2);
  const std::string wrong = coordinator_.file("wrong.key");
  write_text(wrong, foreign + "\n");
  std::filesystem::permissions(wrong, std::filesystem::perms::owner_read);
  const auto stranger =
      coordinator_.begin({"agent", "--join", endpoint, "--key", wrong, "--name", "stranger"});
  for (int i = 0; i < 400 && !contains(coordinator_.log(), "unknown key"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(contains(coordinator_.log(), "unknown key")) << coordinator_.log();
  EXPECT_FALSE(contains(coordinator_.run({"hosts"}).output, "stranger"));
}

TEST(Coordinator, AgentsThatHearNoneForTooLongEndWithTheirRanks) {
  Coordinator coordinator({"--abandon-after", "2"});
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  const std::string spec = coordinator.write_spec("left", "2", "{hosts: 2, slots: 1}",
                                                  {"sh", "-c", "setsid sleep 1000 & sleep 1000"});
  EXPECT_EQ(coordinator.run({"submit", spec}).exit_code, 0);
  for (int i = 0; i < 400 && coordinator.ranks().size() < 4; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  coordinator.kill();
  for (int i = 0; i < 1000 && !coordinator.living().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(coordinator.living().empty());
}

TEST(Coordinator, AFileThatIsNoJournalIsRefused) {
  Coordinator coordinator;
  std::filesystem::create_directories(coordinator.home());
  write_text(coordinator.home() + "/journal.db",
             "this is no journal at all, whatever its name says");
  const Ended ended = coordinator.run({"serve"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.error, "journal.db")) << ended.error;
}

TEST(Coordinator, CommandsWithoutOneSayWhatToTry) {
  Coordinator coordinator;
  for (const std::string command : {"jobs", "hosts"}) {
    const Ended ended = coordinator.run({command});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_TRUE(contains(ended.error, "ringmaster up")) << ended.error;
  }
  const std::string spec = coordinator.write_spec("early", "1", "{hosts: 1, slots: 1}", {"true"});
  EXPECT_TRUE(contains(coordinator.run({"submit", spec}).error, "ringmaster up"));
}

}  // namespace
}  // namespace ringmaster::tests

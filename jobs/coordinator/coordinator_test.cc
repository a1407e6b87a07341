// SPDX-License-Identifier: Apache-2.0
//
// A coordinator in this process, and an agent that the test plays: what it says of a job that the
// coordinator does not hold.
#include "jobs/coordinator/coordinator.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>

#include "jobs/wire/convert.h"
#include "net/client.h"

namespace ringmaster::jobs {
namespace {

using Kind = wire::ToAgent::KindCase;

class NoHosts : public HostProvider {
 public:
  void set_answers(Answers) override {}
  void create(const CreateHost&) override {}
  void release(HostId) override {}
  void find_again(HostId) override {}
  bool shares_files(HostId) const override { return true; }
  void watch(HostId, const HostProcesses&) override {}
  void take_away(HostId) override {}
};

class CoordinatorTest : public testing::Test {
 protected:
  void SetUp() override {
    home_ = std::filesystem::temp_directory_path() / "ringmaster-coordinator-XXXXXX";
    ASSERT_NE(::mkdtemp(home_.data()), nullptr);
    start();
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  void start() {
    Coordinator::Options options;
    options.home = home_;
    options.address = "tcp://127.0.0.1:0";
    options.keys = keys_;
    options.allowed = {agent_keys_.public_key};
    options.say = [](const std::string&) {};
    options.on_failure = [](const Error& error) { FAIL() << error.message; };
    options.is_allowed = [](const std::string&) { return false; };
    auto opened = Coordinator::open(loop_, options, hosts_);
    ASSERT_TRUE(opened) << opened.error().message;
    coordinator_ = std::move(*opened);
    auto client = net::Client::connect(loop_, coordinator_->endpoint(), keys_.public_key,
                                       agent_keys_, [this](std::string_view bytes) {
                                         wire::ToAgent message;
                                         const auto size = static_cast<int>(bytes.size());
                                         EXPECT_TRUE(message.ParseFromArray(bytes.data(), size));
                                         heard_.push_back(message);
                                       });
    ASSERT_TRUE(client) << client.error().message;
    agent_ = std::move(*client);
  }

  void hello(std::int64_t host, std::int64_t oldest_event) {
    wire::FromAgent message;
    message.mutable_hello()->set_host(host);
    message.mutable_hello()->set_name("played");
    message.mutable_hello()->set_slots(1);
    message.mutable_hello()->set_oldest_event(oldest_event);
    say(message);
  }
  void exited(std::int64_t number, std::int64_t job) {
    wire::FromAgent message;
    message.mutable_event()->set_number(number);
    const RankId id{JobId{job}, Rank{0}, Incarnation{1}};
    *message.mutable_event()->mutable_event() = to_wire(Event(RankExited{id, {}, 1}));
    say(message);
  }
  void progress(std::int64_t job) {
    wire::FromAgent message;
    message.mutable_heartbeat()->add_progress()->set_job(job);
    say(message);
  }
  /// The next message of this kind; others are passed over.
  wire::ToAgent wait_for(Kind kind) {
    for (int round = 0; round < 2000; ++round) {
      while (!heard_.empty()) {
        const wire::ToAgent message = heard_.front();
        heard_.erase(heard_.begin());
        if (message.kind_case() == kind) return message;
      }
      loop_.run_one_for(std::chrono::milliseconds(10));
      loop_.restart();
    }
    ADD_FAILURE() << "not heard: message " << kind;
    return {};
  }

  std::string home_;
  boost::asio::io_context loop_;
  NoHosts hosts_;
  std::unique_ptr<Coordinator> coordinator_;

 private:
  void say(const wire::FromAgent& message) {
    wire::Hail hail;
    *hail.mutable_agent() = message;
    EXPECT_TRUE(agent_->send(hail.SerializeAsString()));
  }
  net::KeyPair keys_ = net::make_key_pair(), agent_keys_ = net::make_key_pair();
  std::vector<wire::ToAgent> heard_;
  std::unique_ptr<net::Client> agent_;
};

TEST_F(CoordinatorTest, AJobThatIsNotHeldIsClearedAndItsEventsAreNotSaidAgain) {
  hello(0, 1);
  const std::int64_t host = wait_for(Kind::kWelcome).welcome().host();
  EXPECT_LT(0, host);
  for (std::int64_t number = 1; number <= 3; ++number) {
    exited(number, 7);
    EXPECT_EQ(wait_for(Kind::kEndJob).end_job().job(), 7);
    EXPECT_EQ(wait_for(Kind::kAcknowledge).acknowledge().number(), number);
  }
  progress(8);
  EXPECT_EQ(wait_for(Kind::kEndJob).end_job().job(), 8);
  coordinator_.reset();
  start();
  // What was acknowledged has left the agent's memory: the next coordinator must not miss it.
  hello(host, 4);
  const auto welcome = wait_for(Kind::kWelcome).welcome();
  EXPECT_EQ(welcome.host(), host);
  EXPECT_EQ(welcome.acknowledged(), 3);
  EXPECT_EQ(welcome.jobs_size(), 0);
}

}  // namespace
}  // namespace ringmaster::jobs

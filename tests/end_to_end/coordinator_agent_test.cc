// SPDX-License-Identifier: Apache-2.0
//
// An agent that the test plays itself: what it says of a job that the coordinator does not hold.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "jobs/wire/convert.h"
#include "launcher/host/state_home.h"
#include "net/client.h"
#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

using Kind = wire::ToAgent::KindCase;

class PlayedAgent {
 public:
  PlayedAgent(const Coordinator& coordinator, const std::string& key) {
    const auto credentials = launcher::read_credentials(key);
    const std::string endpoint = lines_of(read_text(coordinator.home() + "/endpoint")).at(0);
    auto client = net::Client::connect(loop_, endpoint, credentials->server_key, credentials->keys,
                                       [this](std::string_view bytes) {
                                         wire::ToAgent message;
                                         const auto size = static_cast<int>(bytes.size());
                                         if (message.ParseFromArray(bytes.data(), size)) {
                                           heard_.push_back(message);
                                         }
                                       });
    EXPECT_TRUE(client);
    client_ = std::move(*client);
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
    const jobs::RankId id{jobs::JobId{job}, jobs::Rank{0}, jobs::Incarnation{1}};
    *message.mutable_event()->mutable_event() = to_wire(jobs::Event(jobs::RankExited{id, {}, 1}));
    say(message);
  }
  void progress(std::int64_t job) {
    wire::FromAgent message;
    message.mutable_heartbeat()->add_progress()->set_job(job);
    say(message);
  }
  /// The next message of this kind; others are passed over.
  wire::ToAgent wait_for(Kind kind) {
    for (int round = 0; round < 400; ++round) {
      for (; !heard_.empty();) {
        wire::ToAgent message = heard_.front();
        heard_.erase(heard_.begin());
        if (message.kind_case() == kind) return message;
      }
      loop_.run_one_for(std::chrono::milliseconds(50));
      loop_.restart();
    }
    ADD_FAILURE() << "not heard: message " << kind;
    return {};
  }

 private:
  void say(const wire::FromAgent& message) {
    wire::Hail hail;
    *hail.mutable_agent() = message;
    EXPECT_TRUE(client_->send(hail.SerializeAsString()));
  }
  boost::asio::io_context loop_;
  std::vector<wire::ToAgent> heard_;
  std::unique_ptr<net::Client> client_;
};

TEST(CoordinatorAgent, AJobThatIsNotHeldIsClearedAndItsEventsAreNotSaidAgain) {
  Coordinator coordinator;
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  const std::string key = coordinator.file("agent.key");
  ASSERT_EQ(coordinator.run({"keygen", "-o", key}).exit_code, 0);
  std::int64_t host = 0;
  {
    PlayedAgent agent(coordinator, key);
    agent.hello(0, 1);
    host = agent.wait_for(Kind::kWelcome).welcome().host();
    EXPECT_LT(0, host);
    for (std::int64_t number = 1; number <= 3; ++number) {
      agent.exited(number, 7);
      EXPECT_EQ(agent.wait_for(Kind::kEndJob).end_job().job(), 7);
      EXPECT_EQ(agent.wait_for(Kind::kAcknowledge).acknowledge().number(), number);
    }
    agent.progress(8);
    EXPECT_EQ(agent.wait_for(Kind::kEndJob).end_job().job(), 8);
  }
  coordinator.kill();
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  // All that was acknowledged has left the agent's memory: the next coordinator must not miss it.
  PlayedAgent agent(coordinator, key);
  agent.hello(host, 4);
  const auto welcome = agent.wait_for(Kind::kWelcome).welcome();
  EXPECT_EQ(welcome.host(), host);
  EXPECT_EQ(welcome.acknowledged(), 3);
  EXPECT_EQ(welcome.jobs_size(), 0);
}

}  // namespace
}  // namespace ringmaster::tests

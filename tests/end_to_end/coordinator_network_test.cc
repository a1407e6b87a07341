// SPDX-License-Identifier: Apache-2.0
//
// Hosts with a real network between them: network namespaces that the test makes and removes. A
// coordinator in one, an agent in each, ranks in a ring over the veth pair; then the wire is cut.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

/// Two namespaces with a wire: 10.77.N.1 and 10.77.N.2.
class Network {
 public:
  Network() : number_(std::to_string(getpid() % 200 + 20)) {
    ok_ = shell("ip netns add " + a() + " && ip netns add " + b() + " && ip link add rm" + number_ +
                "a netns " + a() + " type veth peer name rm" + number_ + "b netns " + b() +
                " && ip -n " + a() + " addr add " + address_a() + "/24 dev rm" + number_ + "a" +
                " && ip -n " + b() + " addr add " + address_b() + "/24 dev rm" + number_ + "b" +
                " && for ns in " + a() + " " + b() + "; do ip -n $ns link set lo up; done" +
                " && ip -n " + a() + " link set rm" + number_ + "a up && ip -n " + b() +
                " link set rm" + number_ + "b up");
  }
  ~Network() { shell("ip netns del " + a() + "; ip netns del " + b()); }
  bool ok() const { return ok_; }
  std::string a() const { return "ringmaster-" + number_ + "a"; }
  std::string b() const { return "ringmaster-" + number_ + "b"; }
  std::string address_a() const { return "10.77." + number_ + ".1"; }
  std::string address_b() const { return "10.77." + number_ + ".2"; }
  void set_wire(bool up) const {
    shell("ip -n " + b() + " link set rm" + number_ + "b " + (up ? "up" : "down"));
  }
  std::vector<std::string> inside(const std::string& name, std::vector<std::string> words) const {
    std::vector<std::string> command = {"ip", "netns", "exec", name};
    command.insert(command.end(), words.begin(), words.end());
    return command;
  }

 private:
  static bool shell(const std::string& script) {
    Program program({"sh", "-c", script});
    return program.wait().exit_code == 0;
  }
  std::string number_;
  bool ok_ = false;
};

bool wait_for(const std::function<bool()>& holds) {
  for (int round = 0; round < 600; ++round) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST(CoordinatorNetwork, AHostBehindACutWireIsLostAndTheOthersGoOn) {
  const Network network;
  if (!network.ok()) GTEST_SKIP() << "network namespaces need root and ip (iproute2)";
  TemporaryFolder folder;
  const std::vector<std::string> home = {"RINGMASTER_HOME=" + folder.file("home")};
  Program serve(network.inside(network.a(), {built("ringmaster"), "serve", "--listen",
                                             network.address_a(), "--host-lease", "2"}),
                home);
  ASSERT_TRUE(serve.wait_for_error("coordinator listens")) << serve.error();
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin(), built("ringmaster"));
    Program program(network.inside(network.a(), words), home);
    return program.wait();
  };
  const std::string key = folder.file("agent.key");
  ASSERT_EQ(ask({"keygen", "-o", key}).exit_code, 0);
  const std::string endpoint = lines_of(read_text(folder.file("home") + "/endpoint")).at(0);
  const auto agent = [&](const std::string& place, const std::string& address) {
    return network.inside(place, {built("ringmaster"), "agent", "--join", endpoint, "--key", key,
                                  "--slots", "2", "--name", place, "--address", address});
  };
  Program near(agent(network.a(), network.address_a()));
  Program far(agent(network.b(), network.address_b()));
  ASSERT_TRUE(wait_for([&] { return lines_of(ask({"hosts"}).output).size() == 3; }))
      << serve.error();

  const std::string spec = folder.file("wired.yaml");
  write_text(spec, "name: wired\ncommand: [\"" + built("ringmaster-train") +
                       "\", --model, tiny, --data, \"" + data_folder() +
                       "\", --batch, \"24\", --epochs, \"1000\"]\nranks: {min: 2, max: 4}\n"
                       "provider: local\nlocal: {hosts: 2, slots: 2}\n");
  ASSERT_EQ(ask({"submit", spec}).exit_code, 0);
  const auto explained = [&](const std::string& text) {
    return wait_for([&] { return contains(ask({"explain", "wired"}).output, text); });
  };
  ASSERT_TRUE(explained("generation 1: 4 ranks are in the ring")) << serve.error();
  network.set_wire(false);
  ASSERT_TRUE(explained("silent for 2 s")) << serve.error();
  // The two near ranks go on, and what was lost starts on a host that the coordinator makes.
  ASSERT_TRUE(explained("generation 2: 2 ranks")) << serve.error();
  EXPECT_TRUE(wait_for([&] { return contains(ask({"hosts"}).output, "local-"); }));
  network.set_wire(true);
  const Ended dismissed = far.wait(std::chrono::seconds(60));
  EXPECT_TRUE(contains(dismissed.error, "dismissed")) << dismissed.error;
  EXPECT_TRUE(far.leaves_nothing());
  EXPECT_EQ(ask({"down"}).exit_code, 0);
}

}  // namespace
}  // namespace ringmaster::tests

// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/network.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {

namespace {

bool shell(const std::string& script) {
  Program program({"sh", "-c", script});
  return program.wait().exit_code == 0;
}

}  // namespace

// Tests run side by side: a number belongs to the one whose namespace was added under it, and only
// its owner removes it.
Network::Network() {
  constexpr int kNumbers = 200;
  for (int tried = 0; tried < kNumbers && !owned_; ++tried) {
    number_ = std::to_string((getpid() + tried) % kNumbers + 20);
    owned_ = shell("ip netns add " + a());
    if (!owned_ && !std::filesystem::exists("/run/netns/" + a())) return;  // not for its number
  }
  ok_ = owned_ &&
        shell("ip netns add " + b() + " && ip link add rm" + number_ + "a netns " + a() +
              " type veth peer name rm" + number_ + "b netns " + b() + " && ip -n " + a() +
              " addr add " + address_a() + "/24 dev rm" + number_ + "a && ip -n " + b() +
              " addr add " + address_b() + "/24 dev rm" + number_ + "b && for ns in " + a() + " " +
              b() + "; do ip -n $ns link set lo up; done && ip -n " + a() + " link set rm" +
              number_ + "a up && ip -n " + b() + " link set rm" + number_ + "b up");
}

Network::~Network() {
  if (owned_) shell("ip netns del " + a() + "; ip netns del " + b());
}

void Network::set_wire(bool up) const {
  shell("ip -n " + b() + " link set rm" + number_ + "b " + (up ? "up" : "down"));
}

std::vector<std::string> Network::inside(const std::string& name,
                                         std::vector<std::string> words) const {
  std::vector<std::string> command = {"ip", "netns", "exec", name};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

Networked::Networked(std::string host_lease) : host_lease_(std::move(host_lease)) {}

Networked::~Networked() {
  serve_.reset();
  clear_living(home());
}

bool Networked::start() {
  serve_ = std::make_unique<Program>(
      network.inside(network.a(), {built("ringmaster"), "serve", "--listen", network.address_a(),
                                   "--host-lease", host_lease_}),
      variables());
  if (!serve_->wait_for_error("coordinator listens")) return false;
  const std::string key = folder.file("agent.key");
  return access(key.c_str(), F_OK) == 0 || ask({"keygen", "-o", key}).exit_code == 0;
}

void Networked::kill() {
  serve_->signal(SIGKILL);
  serve_->wait();
  serve_->forget();
  serve_.reset();
}

std::unique_ptr<Program> Networked::agent(const std::string& place, int slots,
                                          std::vector<std::string> more) const {
  const std::string endpoint = lines_of(read_text(home() + "/endpoint")).at(0);
  std::vector<std::string> words = {built("ringmaster"),
                                    "agent",
                                    "--join",
                                    endpoint,
                                    "--key",
                                    folder.file("agent.key"),
                                    "--slots",
                                    std::to_string(slots),
                                    "--name",
                                    place,
                                    "--logs",
                                    folder.file("waiting-" + place)};
  words.insert(words.end(), more.begin(), more.end());
  return std::make_unique<Program>(network.inside(place, words));
}

std::unique_ptr<Program> Networked::begin(std::vector<std::string> words) const {
  words.insert(words.begin(), built("ringmaster"));
  return std::make_unique<Program>(network.inside(network.a(), words), variables());
}

Ended Networked::ask(const std::vector<std::string>& words) const {
  return begin(words)->wait();
}

bool Networked::has_hosts(std::size_t count) const {
  return wait_for([&] { return lines_of(ask({"hosts"}).output).size() == count + 1; });
}

bool Networked::explained(const std::string& job, const std::string& text) const {
  return wait_for([&] { return contains(ask({"explain", job}).output, text); });
}

std::string Networked::write_spec(const std::string& name, const std::string& ranks,
                                  const std::vector<std::string>& command,
                                  const std::string& hosts) const {
  std::string words;
  for (const std::string& word : command) words += (words.empty() ? "'" : ", '") + word + "'";
  const std::string path = folder.file(name + ".yaml");
  write_text(path, "name: " + name + "\ncommand: [" + words + "]\nranks: " + ranks +
                       "\nprovider: local\nlocal: " + hosts + "\n");
  return path;
}

bool wait_for(const std::function<bool()>& holds) {
  for (int round = 0; round < 600; ++round) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace ringmaster::tests

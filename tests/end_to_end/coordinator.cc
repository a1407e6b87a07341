// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/coordinator.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "launcher/host/state_home.h"
#include "launcher/process/descendants.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {

namespace {

constexpr auto kLook = std::chrono::milliseconds(5);
constexpr int kLooks = 4000;  // 20 s

}  // namespace

Coordinator::Coordinator(std::vector<std::string> serve_flags)
    : home_(folder_.file("home")), serve_flags_(std::move(serve_flags)) {}

Coordinator::~Coordinator() {
  serve_.reset();
  clear_living(home_);
}

void Coordinator::start() {
  std::vector<std::string> words = {"ringmaster", "serve"};
  words.insert(words.end(), serve_flags_.begin(), serve_flags_.end());
  serve_ = std::make_unique<Program>(words, variables());
  ASSERT_TRUE(serve_->wait_for_error("coordinator listens")) << log();
}

void Coordinator::kill() {
  if (serve_ == nullptr) return;
  serve_->signal(SIGKILL);
  serve_->wait();
  // Its Program would take everything with it that it started: the mark is not its own any more.
  serve_->forget();
  serve_.reset();
}

std::unique_ptr<Program> Coordinator::begin(const std::vector<std::string>& words) const {
  std::vector<std::string> command = {"ringmaster"};
  command.insert(command.end(), words.begin(), words.end());
  return std::make_unique<Program>(command, variables());
}

Ended Coordinator::run(const std::vector<std::string>& words) const {
  const auto program = begin(words);
  return program->wait();
}

Ended Coordinator::run_and_leave(const std::vector<std::string>& words) const {
  const auto program = begin(words);
  const Ended ended = program->wait();
  program->forget();
  return ended;
}

std::string Coordinator::write_spec(const std::string& name, const std::string& ranks,
                                    const std::string& hosts,
                                    const std::vector<std::string>& command,
                                    const std::string& more) const {
  std::string words;
  for (const std::string& word : command) words += (words.empty() ? "\"" : ", \"") + word + "\"";
  const std::string path = file(name + ".yaml");
  write_text(path, "name: " + name + "\ncommand: [" + words + "]\nranks: " + ranks +
                       "\nprovider: local\nlocal: " + hosts + "\n" + more);
  return path;
}

std::string Coordinator::log() const {
  return serve_ == nullptr ? "" : serve_->error();
}

std::vector<std::vector<pid_t>> Coordinator::agents() const {
  std::vector<std::vector<pid_t>> all;
  std::error_code code;
  for (const auto& host : std::filesystem::directory_iterator(home_ + "/hosts", code)) {
    const std::string lock = host.path() / "lock";
    if (!launcher::is_locked(lock)) continue;
    std::istringstream text(read_text(lock));
    std::vector<pid_t> pids;
    for (pid_t pid = 0; text >> pid;) pids.push_back(pid);
    if (pids.size() == 2) all.push_back(pids);
  }
  return all;
}

void clear_living(const std::string& home) {
  for (int round = 0; round < kLooks; ++round) {
    const auto left = living_with(home);
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(kLook);
  }
}

std::vector<pid_t> Coordinator::living() const {
  return living_with(home_);
}

std::vector<pid_t> living_with(const std::string& home) {
  std::vector<pid_t> found;
  for (const auto& process : launcher::list_processes()) {
    const std::string mark = '\0' + std::string("RINGMASTER_HOME=") + home + '\0';
    if (process.alive() && environment_of(process.pid).find(mark) != std::string::npos) {
      found.push_back(process.pid);
    }
  }
  return found;
}

std::vector<pid_t> Coordinator::ranks() const {
  std::vector<pid_t> found;
  for (const pid_t pid : living()) {
    if (contains(environment_of(pid), "RINGMASTER_RANK=")) found.push_back(pid);
  }
  return found;
}

bool Coordinator::no_hosts_left() const {
  for (int round = 0; round < kLooks; ++round) {
    if (agents().empty() && ranks().empty() && std::filesystem::is_empty(home_ + "/hosts")) {
      return true;
    }
    std::this_thread::sleep_for(kLook);
  }
  return false;
}

}  // namespace ringmaster::tests

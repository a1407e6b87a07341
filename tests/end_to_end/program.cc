// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "launcher/process/descendants.h"

namespace ringmaster::tests {

namespace {

using Clock = std::chrono::steady_clock;

FileDescriptor make_file() {
  return FileDescriptor(memfd_create("output", MFD_CLOEXEC));
}

std::string read_all(const FileDescriptor& file) {
  std::string text;
  char buffer[65536];
  off_t offset = 0;
  for (;;) {
    const ssize_t size = pread(file.get(), buffer, sizeof buffer, offset);
    if (size <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
    offset += size;
  }
}

bool has_variable(pid_t pid, const std::string& variable) {
  return environment_of(pid).find('\0' + variable + '\0') != std::string::npos;
}

std::string name_of(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

/// Ours with `variables` in the place of those of the same name, and the built programs first on
/// PATH. No name is there twice: shells take the last one, programs the first.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> environment = variables;
  std::set<std::string> names;
  for (const std::string& variable : variables) names.insert(name_of(variable));
  for (char** each = environ; *each != nullptr; ++each) {
    std::string variable = *each;
    const std::string name = name_of(variable);
    if (!names.insert(name).second) continue;
    if (name == "PATH") variable.insert(5, std::string(RINGMASTER_BINARY_DIR) + ":");
    environment.push_back(variable);
  }
  return environment;
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

template <class Condition>
bool wait_until(const Condition& holds, std::chrono::seconds limit = std::chrono::seconds(30)) {
  const auto deadline = Clock::now() + limit;
  while (!holds()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::string environment_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  std::ostringstream text;
  text << '\0' << file.rdbuf() << '\0';
  return text.str();
}

std::string built(const std::string& name) {
  return std::string(RINGMASTER_BINARY_DIR) + "/" + name;
}

Program::Program(const std::vector<std::string>& command, const std::vector<std::string>& variables)
    : output_(make_file()), error_(make_file()) {
  static std::atomic<int> count{0};
  mark_ = "RINGMASTER_TEST_MARK=" + std::to_string(getpid()) + "." + std::to_string(++count);
  std::vector<std::string> words = command;
  if (std::filesystem::exists(built(words[0]))) words[0] = built(words[0]);
  std::vector<std::string> environment = environment_with(variables);
  environment.push_back(mark_);
  auto arguments = pointers(words);
  auto names = pointers(environment);
  pid_ = fork();
  if (pid_ == 0) {
    setpgid(0, 0);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(output_.get(), 1);
    dup2(error_.get(), 2);
    execvpe(arguments[0], arguments.data(), names.data());
    _exit(127);
  }
}

Program::~Program() {
  if (mark_.empty() && reaped_) return;
  for (int round = 0; round < 100; ++round) {
    const auto left = marked();
    for (const pid_t pid : left) kill(pid, SIGKILL);
    if (!reaped_ && waitpid(pid_, nullptr, WNOHANG) == pid_) reaped_ = true;
    if (left.empty() && reaped_) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::vector<pid_t> Program::marked() const {
  std::vector<pid_t> found;
  for (const auto& process : launcher::list_processes()) {
    if (process.alive() && has_variable(process.pid, mark_)) found.push_back(process.pid);
  }
  return found;
}

pid_t Program::pid_of_rank(int rank) const {
  // What the rank has started carries its variables as well, and may have a lower pid.
  const std::string variable = "RINGMASTER_RANK=" + std::to_string(rank);
  for (const pid_t pid : marked()) {
    const auto process = launcher::read_process(pid);
    if (!process || !has_variable(pid, variable)) continue;
    if (!has_variable(process->parent, variable)) return pid;
  }
  return 0;
}

void Program::signal(int number) const {
  kill(pid_, number);
}

void Program::signal_group(int number) const {
  kill(-pid_, number);
}

std::string Program::output() const {
  return read_all(output_);
}

std::string Program::error() const {
  return read_all(error_);
}

bool Program::wait_for_output(const std::string& text, int times) const {
  return wait_until([&] { return count_of(read_all(output_), text) >= times; });
}

bool Program::wait_for_error(const std::string& text) const {
  return wait_until([&] { return count_of(read_all(error_), text) > 0; });
}

bool Program::wait_for_state(pid_t pid, const std::string& states,
                             std::chrono::seconds limit) const {
  return wait_until(
      [&] {
        const auto process = launcher::read_process(pid);
        return process && states.find(process->state) != std::string::npos;
      },
      limit);
}

pid_t Program::child() const {
  for (const auto& process : launcher::list_processes()) {
    if (process.parent == pid_ && process.alive()) return process.pid;
  }
  return 0;
}

Ended Program::wait(std::chrono::seconds limit) {
  const auto deadline = Clock::now() + limit;
  Ended ended;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) != pid_) {
    if (Clock::now() > deadline && !ended.timed_out) {
      ended.timed_out = true;
      kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  reaped_ = true;
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.output = read_all(output_);
  ended.error = read_all(error_);
  return ended;
}

bool Program::leaves_nothing() const {
  for (int round = 0; round < 500; ++round) {
    if (marked().empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

Ended run_program(const std::vector<std::string>& command,
                  const std::vector<std::string>& variables) {
  Program program(command, variables);
  const Ended ended = program.wait();
  EXPECT_FALSE(ended.timed_out) << ended.output << ended.error;
  EXPECT_TRUE(program.leaves_nothing()) << command[0];
  return ended;
}

Ended run_shell(const std::string& script, const std::vector<std::string>& variables) {
  return run_program({"sh", "-c", script}, variables);
}

}  // namespace ringmaster::tests

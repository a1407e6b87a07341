// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "launcher/process/pidfd.h"

namespace ringmaster::launcher {

namespace {

namespace fs = std::filesystem;

constexpr Duration kStopPatience = std::chrono::seconds(5);  // for ringrun to end its ranks

volatile std::sig_atomic_t interrupt = 0;

void note_interrupt(int signal_number) {
  interrupt = signal_number;
}

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    CHECK_EQ(::sigaction(signal_number, &action, nullptr), 0);
  }
}

std::vector<std::string> our_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

/// Waits for the descriptor; whether it became readable. A signal ends the wait.
bool readable(const FileDescriptor& fd, Duration patience) {
  pollfd waited{fd.get(), POLLIN, 0};
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  return ::poll(&waited, 1, static_cast<int>(std::clamp<std::int64_t>(ms, 0, 1 << 30))) > 0;
}

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

Interrupts::Interrupts() {
  interrupt = 0;
  set_handler(note_interrupt);
}
Interrupts::~Interrupts() {
  set_handler(SIG_DFL);
}
bool Interrupts::came() {
  return interrupt != 0;
}
int Interrupts::exit_code() {
  return 128 + static_cast<int>(interrupt);
}

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code code;
  std::string pattern = fs::temp_directory_path(code) / "ringmaster-bench-XXXXXX";
  if (code || ::mkdtemp(pattern.data()) == nullptr) {
    return errno_error(code ? code.value() : errno, fmt::format("make the folder {}", pattern));
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;  // nobody is left to act on it
  fs::remove_all(path_, ignored);
}

Result<Program> Program::start(std::vector<std::string> command, const std::string& log) {
  const FileDescriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!output.valid()) return errno_error(errno, fmt::format("open {}", log));
  SpawnSpec spec;
  spec.command = std::move(command);
  spec.environment = our_environment();
  spec.fds = {.input = -1, .output = output.get(), .error = output.get()};
  auto child = spawn(spec);
  if (!child) return child.error();
  return Program(std::move(*child));
}

Result<std::optional<int>> Program::wait(Duration patience) {
  CHECK(child_.pidfd.valid());
  if (Interrupts::came()) return Error{Errc::closed, "interrupted"};
  if (!readable(child_.pidfd, patience)) {
    if (Interrupts::came()) return Error{Errc::closed, "interrupted"};
    return std::optional<int>();
  }
  int status = 0;
  CHECK_EQ(::waitpid(child_.pid, &status, 0), child_.pid);
  child_.pidfd.reset();
  return std::optional<int>(status);
}

void Program::stop() {
  if (!child_.pidfd.valid()) return;
  send_signal(child_.pidfd, SIGTERM);
  const Time deadline = read_clock() + kStopPatience;
  bool ended = false;
  while (!ended && read_clock() < deadline) ended = readable(child_.pidfd, deadline - read_clock());
  if (!ended) return kill();
  reap();
}

void Program::kill() {
  send_signal(child_.pidfd, SIGKILL);
  reap();
}

void Program::reap() {
  int status = 0;
  while (::waitpid(child_.pid, &status, 0) < 0 && errno == EINTR) {
  }
  child_.pidfd.reset();
}

Error ended_badly(const std::string& name, int wait_status, const std::string& log) {
  const std::string how = WIFSIGNALED(wait_status)
                              ? fmt::format("was killed by signal {}", WTERMSIG(wait_status))
                              : fmt::format("ended with exit code {}", WEXITSTATUS(wait_status));
  const std::string line = last_line(log);
  return {Errc::closed, fmt::format("{} {}{}{}", name, how, line.empty() ? "" : ": ", line)};
}

Result<void> run_program(std::vector<std::string> command, const std::string& log,
                         Duration patience) {
  const std::string name = fs::path(command.front()).filename();
  auto program = Program::start(std::move(command), log);
  if (!program) return program.error();
  const auto status = program->wait(patience);
  if (!status) return status.error();
  if (!status->has_value()) {
    return Error{Errc::timed_out, fmt::format("{} still ran after {:.0f} s: {}", name,
                                              to_seconds(patience), last_line(log))};
  }
  if (**status != 0) return ended_badly(name, **status, log);
  return {};
}

Result<std::string> this_program() {
  std::error_code code;
  const fs::path path = fs::read_symlink("/proc/self/exe", code);
  if (code) return errno_error(code.value(), "read /proc/self/exe");
  return path.string();
}

Result<std::string> find_beside(std::string_view name) {
  const auto self = this_program();
  if (!self) return self.error();
  const std::string path = fs::path(*self).parent_path() / name;
  if (::access(path.c_str(), X_OK) != 0) {
    return errno_error(errno,
                       fmt::format("the program {} should be beside this one: {}", name, path));
  }
  return path;
}

}  // namespace ringmaster::launcher

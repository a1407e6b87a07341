// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/child_answer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "base/file_descriptor.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kAnswerBytesMax = 4U << 20;  // 16 GPUs with 18 ports take 50 KB
constexpr char kAnswered = '+', kFailed = '-';     // what the answer begins with

void write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;  // the parent has given up
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

/// The child: asks, answers, ends without running the parent's exit handlers.
[[noreturn]] void answer_in_child(const std::function<Result<std::string>()>& ask, int fd,
                                  pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const auto answer = ask();
  if (answer) {
    write_whole(fd, kAnswered + *answer);
  } else {
    write_whole(fd, fmt::format("{}{} {}", kFailed, static_cast<int>(answer.error().code),
                                answer.error().message));
  }
  ::_exit(0);
}

int milliseconds_until(Time deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - read_clock()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000));
}

/// All that comes through the pipe until its end; Errc::timed_out at the deadline.
Result<std::string> read_answer(const std::string& who, int fd, Time deadline) {
  std::string text;
  while (text.size() < kAnswerBytesMax) {
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wait, 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Error{Errc::timed_out, who + " does not answer"};
    const std::size_t size = text.size();
    text.resize(size + 65536);
    const ssize_t got = ::read(fd, text.data() + size, 65536);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
  }
  return Error{Errc::io, who + ": an answer without end"};
}

/// Ends the child. One that hangs in the kernel stays until the kernel lets it go: it is not waited
/// for, and PDEATHSIG has it go with this process.
void end_child(pid_t child) {
  ::kill(child, SIGKILL);
  for (int tries = 0; tries < 20; ++tries) {
    if (::waitpid(child, nullptr, WNOHANG) != 0) return;
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace

Result<std::string> read_child_answer(const std::string& who, Duration patience,
                                      const std::function<Result<std::string>()>& ask) {
  const Time deadline = read_clock() + patience;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, "a pipe");
  FileDescriptor here(ends[0]), there(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return errno_error(errno, "a process that asks " + who);
  if (child == 0) answer_in_child(ask, there.get(), parent);
  there = FileDescriptor();
  auto text = read_answer(who, here.get(), deadline);
  end_child(child);
  if (!text) return text;
  if (text->empty()) return Error{Errc::io, who + " ended the process that asked it"};
  if (text->front() == kAnswered) return text->substr(1);
  const std::size_t blank = std::min(text->find(' '), text->size());
  const int code = std::atoi(text->substr(1, blank - 1).c_str());
  return Error{static_cast<Errc>(code), text->substr(std::min(blank + 1, text->size()))};
}

}  // namespace ringmaster::topology

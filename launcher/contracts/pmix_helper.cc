// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/pmix_helper.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <csignal>

#include "base/time.h"
#include "launcher/process/program.h"
#include "launcher/process/spawn.h"

namespace ringmaster::launcher {

namespace {

using HelperSocket = boost::asio::posix::stream_descriptor;

constexpr const char* kHelperName = "ringmaster-pmix";
constexpr std::chrono::seconds kStartPatience(10);

}  // namespace

struct PmixHelper::Parts : std::enable_shared_from_this<PmixHelper::Parts> {
  Parts(boost::asio::io_context& loop, Child started, FileDescriptor socket_end, int job_ranks)
      : child(std::move(started)), socket(loop, socket_end.release()), ranks(job_ranks) {}
  ~Parts();

  Result<void> wait_until_ready();
  /// False when nothing (more) can be heard now.
  bool read();
  void watch();

  Child child;
  HelperSocket socket;
  int ranks;
  std::string bytes;
  std::vector<pmix::Told> told;
  std::vector<std::string> variables;
  OnTold on_told;
  bool ended = false;
};

PmixHelper::Parts::~Parts() {
  ::kill(child.pid, SIGKILL);
  while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool PmixHelper::Parts::read() {
  std::array<char, 16384> buffer;
  ssize_t size = 0;
  do {
    size = ::recv(socket.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  } while (size < 0 && errno == EINTR);
  if (size == 0) ended = true;
  if (size <= 0) return false;
  bytes.append(buffer.data(), static_cast<std::size_t>(size));
  for (pmix::Told& one : pmix::take_reports(bytes, ranks)) told.push_back(std::move(one));
  return true;
}

Result<void> PmixHelper::Parts::wait_until_ready() {
  const Time deadline = read_clock() + kStartPatience;
  for (;;) {
    while (read()) {
    }
    for (pmix::Told& one : told) {
      if (one.report == pmix::Report::variable) variables.push_back(std::move(one.text));
      if (one.report == pmix::Report::failed) return Error{Errc::io, one.text};
      if (one.report == pmix::Report::ready) {
        told.clear();
        return {};
      }
    }
    told.clear();
    if (ended) return Error{Errc::closed, fmt::format("{} has ended", kHelperName)};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - read_clock());
    pollfd ready{socket.native_handle(), POLLIN, 0};
    if (left.count() <= 0) return Error{Errc::timed_out, fmt::format("{} is silent", kHelperName)};
    ::poll(&ready, 1, static_cast<int>(left.count()));
  }
}

void PmixHelper::Parts::watch() {
  socket.async_wait(HelperSocket::wait_read,
                    [weak = weak_from_this()](const boost::system::error_code& code) {
                      const auto self = weak.lock();
                      if (!self || code) return;
                      self->read();
                      for (const pmix::Told& one : std::exchange(self->told, {}))
                        self->on_told(one);
                      if (!self->ended) self->watch();
                    });
}

Result<std::unique_ptr<PmixHelper>> PmixHelper::start(boost::asio::io_context& loop, const Job& job,
                                                      OnTold on_told) {
  const auto program = find_beside(kHelperName);
  if (!program) return program.error();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error(errno, "make a socket pair");
  }
  FileDescriptor ours(ends[0]);
  const FileDescriptor theirs(ends[1]);
  SpawnSpec spec;
  spec.command = {*program,   fmt::format("{}", theirs.get()), job.name, job.host,
                  job.folder, fmt::format("{}", job.ranks)};
  spec.environment = job.environment;
  spec.inherited_fds = {theirs.get()};
  spec.fds.error = STDERR_FILENO;
  auto child = spawn(spec);
  if (!child) return child.error();
  auto parts = std::make_shared<Parts>(loop, std::move(*child), std::move(ours), job.ranks);
  auto ready = parts->wait_until_ready();
  if (!ready) return ready.error();
  parts->on_told = std::move(on_told);
  parts->watch();
  return std::unique_ptr<PmixHelper>(new PmixHelper(std::move(parts)));
}

PmixHelper::PmixHelper(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
PmixHelper::~PmixHelper() = default;

const std::vector<std::string>& PmixHelper::variables() const {
  return parts_->variables;
}

void PmixHelper::drain() {
  while (parts_->read()) {
  }
  for (const pmix::Told& one : std::exchange(parts_->told, {})) parts_->on_told(one);
}

pid_t PmixHelper::pid() const {
  return parts_->child.pid;
}

}  // namespace ringmaster::launcher

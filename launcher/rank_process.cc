// SPDX-License-Identifier: Apache-2.0
#include "launcher/rank_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <csignal>
#include <optional>

#include "launcher/process/exit_status.h"
#include "worker/contract.h"
#include "worker/packet.h"

namespace ringmaster::launcher {

namespace {

using Descriptor = boost::asio::posix::stream_descriptor;

struct Pair {
  FileDescriptor ours;
  FileDescriptor theirs;
};

Result<Pair> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, "make a pipe");
  return Pair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<Pair> make_socket() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error(errno, "make a socket pair");
  }
  return Pair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

struct RankProcess::Parts : std::enable_shared_from_this<RankProcess::Parts> {
  Parts(boost::asio::io_context& loop, Child child, FileDescriptor channel, RankHandlers given)
      : pid(child.pid),
        pidfd(loop, child.pidfd.release()),
        socket(loop, channel.release()),
        handlers(std::move(given)) {}

  void watch_exit();
  void watch_socket();
  /// Hands over every message that is there now. False when the rank's end is closed.
  bool read_messages();
  void reap();
  void output_ended();

  pid_t pid;
  Descriptor pidfd;
  Descriptor socket;
  RankHandlers handlers;
  std::optional<PipeReader> output;
  std::optional<PipeReader> error;
  bool reaped = false;
  int last_signal = 0;
  int pipes_open = 2;
};

void RankProcess::Parts::watch_exit() {
  pidfd.async_wait(Descriptor::wait_read,
                   [weak = weak_from_this()](const boost::system::error_code& code) {
                     const auto self = weak.lock();
                     if (self && !code) self->reap();
                   });
}

void RankProcess::Parts::watch_socket() {
  socket.async_wait(Descriptor::wait_read,
                    [weak = weak_from_this()](const boost::system::error_code& code) {
                      const auto self = weak.lock();
                      if (self && !code && self->read_messages()) self->watch_socket();
                    });
}

bool RankProcess::Parts::read_messages() {
  std::array<char, worker::kPacketMax> packet;
  for (;;) {
    FileDescriptor fd;
    const auto size = worker::receive_packet(socket.native_handle(), packet.data(), packet.size(),
                                             fd, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (size == 0) return false;
    auto message = worker::decode({packet.data(), static_cast<std::size_t>(size)});
    const auto* staged = message ? std::get_if<worker::StagedMessage>(&*message) : nullptr;
    if (staged != nullptr) {
      handlers.on_staged(*staged, std::move(fd));
    } else if (message) {
      handlers.on_message(*message);
    } else {
      handlers.on_bad_message(message.error());
    }
  }
}

void RankProcess::Parts::reap() {
  socket.cancel();
  read_messages();
  int status = 0;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  reaped = true;
  socket.close();
  pidfd.close();
  if (output && !output->ended()) output->drain();
  if (error && !error->ended()) error->drain();
  handlers.on_exit(exit_status_of(status), WIFSIGNALED(status) && WCOREDUMP(status));
}

void RankProcess::Parts::output_ended() {
  if (--pipes_open == 0) handlers.on_output_end();
}

Result<std::unique_ptr<RankProcess>> RankProcess::start(boost::asio::io_context& loop,
                                                        SpawnSpec spec, std::vector<Output> output,
                                                        std::vector<Output> error,
                                                        RankHandlers handlers) {
  auto channel = make_socket();
  if (!channel) return channel.error();
  auto output_pipe = make_pipe();
  if (!output_pipe) return output_pipe.error();
  auto error_pipe = make_pipe();
  if (!error_pipe) return error_pipe.error();
  spec.fds.output = output_pipe->theirs.get();
  spec.fds.error = error_pipe->theirs.get();
  spec.inherited_fds.push_back(channel->theirs.get());
  spec.environment.push_back(fmt::format("{}={}", worker::kSocketVariable, channel->theirs.get()));
  auto child = spawn(spec);
  if (!child) return child.error();

  auto parts = std::make_shared<Parts>(loop, std::move(*child), std::move(channel->ours),
                                       std::move(handlers));
  const auto ended = [weak = std::weak_ptr<Parts>(parts)] {
    if (const auto self = weak.lock()) self->output_ended();
  };
  const auto heard = [&](bool is_error) -> PipeReader::OnBytes {
    if (!parts->handlers.on_output) return nullptr;
    return [hear = parts->handlers.on_output, is_error](std::string_view bytes) {
      hear(bytes, is_error);
    };
  };
  parts->output.emplace(loop, std::move(output_pipe->ours), std::move(output), ended, heard(false));
  parts->error.emplace(loop, std::move(error_pipe->ours), std::move(error), ended, heard(true));
  parts->watch_exit();
  parts->watch_socket();
  return std::unique_ptr<RankProcess>(new RankProcess(std::move(parts)));
}

RankProcess::RankProcess(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
RankProcess::~RankProcess() = default;

pid_t RankProcess::pid() const {
  return parts_->pid;
}
bool RankProcess::exited() const {
  return parts_->reaped;
}
bool RankProcess::ended() const {
  if (parts_->reaped) return true;
  pollfd end = {.fd = parts_->pidfd.native_handle(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 1;
}
int RankProcess::last_signal() const {
  return parts_->last_signal;
}
bool RankProcess::over() const {
  return parts_->reaped && parts_->pipes_open == 0;
}

void RankProcess::signal(int signal_number) {
  // The rank leads its own group, so that the signal reaches what it has started, too.
  if (parts_->reaped) return;
  parts_->last_signal = signal_number;
  kill(-parts_->pid, signal_number);
}

bool RankProcess::send(const worker::Message& message, int fd) {
  if (parts_->reaped) return false;
  const std::string packet = worker::encode(message);
  return worker::send_packet(parts_->socket.native_handle(), packet, fd,
                             MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

}  // namespace ringmaster::launcher

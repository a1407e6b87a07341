// SPDX-License-Identifier: Apache-2.0
//
// One started rank as its agent holds it: the process, the socket to its session, its two output
// pipes. Turns what happens to them into calls of a handler; decides nothing.
//
// The order matters: what a rank said before it died is handed over before its exit.
//
// Thread rules: the loop's thread, which is also the one that spawns (PDEATHSIG is bound to it).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "jobs/core/event.h"
#include "launcher/output/pipe_reader.h"
#include "launcher/output/voices.h"
#include "launcher/process/spawn.h"
#include "worker/messages.h"

namespace ringmaster::launcher {

/// What the agent wants to know of a rank. Called from the loop.
struct RankHandlers {
  std::function<void(const worker::Message&)> on_message;
  /// Memory that it has staged comes with the message; without it there is a text in it.
  std::function<void(const worker::StagedMessage&, FileDescriptor)> on_staged;
  std::function<void(const Error&)> on_bad_message;
  std::function<void(jobs::ExitStatus, bool core_dumped)> on_exit;
  std::function<void()> on_output_end;  // all output was given to the sinks
  Voices::Listener on_output = {};      // hears it all, too; may be none
};

class RankProcess {
 public:
  /// `spec` without descriptors of its own: the socket's number is added under
  /// RINGMASTER_SOCKET_FD, the pipes become its output.
  static Result<std::unique_ptr<RankProcess>> start(boost::asio::io_context& loop, SpawnSpec spec,
                                                    std::vector<Output> output,
                                                    std::vector<Output> error,
                                                    RankHandlers handlers);
  ~RankProcess();

  pid_t pid() const;
  bool exited() const;
  /// True when the process has ended, whether that was heard of or not.
  bool ended() const;
  /// The last signal that it was sent, 0: none.
  int last_signal() const;
  /// True when the process is gone and all that it wrote was handed on.
  bool over() const;
  /// To the whole process group. Nothing once it was reaped: the number may be another's.
  void signal(int signal_number);
  /// False when the rank cannot take it: it is dying, or does not read.
  bool send(const worker::Message& message, int fd = -1);

 private:
  struct Parts;
  explicit RankProcess(std::shared_ptr<Parts> parts);
  std::shared_ptr<Parts> parts_;  // shared, so that a handler that waits in the loop can tell
};

}  // namespace ringmaster::launcher

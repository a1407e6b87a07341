// SPDX-License-Identifier: Apache-2.0
//
// A rank's end of the socket to its agent: whole messages, blocking. EOF means that the agent is
// gone: the rank ends.
//
// Thread rules: one thread.
#pragma once

#include "base/file_descriptor.h"
#include "worker/messages.h"

namespace ringmaster::worker {

class AgentChannel {
 public:
  /// `fd`: the inherited descriptor; it is made close-on-exec, so that no child of the rank keeps
  /// the channel open after the rank's death.
  static Result<AgentChannel> adopt(int fd);

  /// `fd`: a descriptor that goes along, or -1.
  Result<void> send(const Message& message, int fd = -1);
  struct Received {
    Message message;
    FileDescriptor fd;  // that came along, if any
  };
  /// Waits for the next message; Errc::closed when the agent is gone.
  Result<Received> receive();

 private:
  explicit AgentChannel(FileDescriptor socket) : socket_(std::move(socket)) {}
  FileDescriptor socket_;
};

}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
//
// The PMI-1 server of a job's ranks on this host: a socket pair for each rank, whose other end the
// rank inherits (PMI_FD). So there is no port that strangers could speak to, and no wait for a
// rank to connect.
//
// A rank that does not read its answers is not read from either: its memory here is one line of
// input and what one buffer of input is answered with. What it says is judged by Space (space.h).
//
// Thread rules: the loop's thread. Handlers are called from the loop, or within drain().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher::pmi {

struct ServerHandlers {
  std::function<void(int rank, int code)> on_abort;
  std::function<void(int rank, const std::string& words)> on_failure;
  std::function<void(const std::string& words)> say;
};

class Server {
 public:
  /// `hosts[r]`: the host of rank r, counted from 0.
  Server(boost::asio::io_context& loop, const std::string& name, const std::vector<int>& hosts,
         ServerHandlers handlers);
  ~Server();

  /// Makes the rank's pair; the result is its end, to inherit. A pair that it had is closed.
  Result<FileDescriptor> connect(int rank);

  /// Hears what the rank has said and is not heard yet.
  void drain(int rank);
  /// Its process has ended, and well.
  void ended(int rank);
  /// It is between its init and its finalize.
  bool inside(int rank) const;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;  // shared, so that a handler that waits in the loop can tell
};

}  // namespace ringmaster::launcher::pmi

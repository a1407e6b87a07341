// SPDX-License-Identifier: Apache-2.0
//
// Where hosts come from, as the coordinator sees it. Calls return at once; answers come later
// through Answers, from the loop. Every call may be repeated after a crash and then does nothing
// new: a host is known by its id.
//
// Thread rules: the loop's thread.
#pragma once

#include <functional>
#include <string>

#include "jobs/core/action.h"

namespace ringmaster::jobs {

/// Processes that stand for a host on this machine; 0: it is on another one.
struct HostProcesses {
  std::int64_t agent = 0;
  std::int64_t guard = 0;
};

class HostProvider {
 public:
  struct Answers {
    std::function<void(HostId, const std::string& why)> create_failed;
    std::function<void(HostId)> released;
    /// Everything on the host is dead.
    std::function<void(HostId, const std::string& why)> lost;
  };
  virtual ~HostProvider() = default;
  virtual void set_answers(Answers answers) = 0;

  /// The host's agent will say hello, or create_failed is called. Nothing when it is there already.
  virtual void create(const CreateHost& host) = 0;
  /// Ends it; `released` is called when nothing is left, also when there never was anything.
  virtual void release(HostId host) = 0;
  /// The host was there before this coordinator: `lost` is called when it no longer is.
  virtual void find_again(HostId host) = 0;
  /// Its agent has said hello: from now on its death is heard at once.
  virtual void watch(HostId host, const HostProcesses& processes) = 0;
  /// Whether its agent can write into this machine's files.
  virtual bool shares_files(HostId host) const = 0;
  /// Ends it without a word, as a cloud does: for drills. `lost` follows.
  virtual void take_away(HostId host) = 0;
};

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
//
// Hosts on this machine: each an agent process with its own folder, lock and slots, in a session of
// its own, so that it outlives the coordinator that made it.
//
// The lock in its folder is what exists: it is held by the agent and by its guard, and free when
// both are dead; then their ranks are dead as well (they end with the agent). A host is found again
// by that lock after any crash, so making one twice or releasing one that never was is harmless.
//
// Thread rules: the loop's thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "jobs/coordinator/host_provider.h"
#include "launcher/host/state_home.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher {

class LocalHosts : public jobs::HostProvider {
 public:
  /// `abandon_after`: how long an agent goes on without a coordinator.
  LocalHosts(boost::asio::io_context& loop, StateHome home, Duration abandon_after);
  ~LocalHosts() override;

  void set_answers(Answers answers) override { answers_ = std::move(answers); }
  void create(const jobs::CreateHost& host) override;
  void release(jobs::HostId host) override;
  void find_again(jobs::HostId host) override;
  void watch(jobs::HostId host, const jobs::HostProcesses& processes) override;
  bool shares_files(jobs::HostId host) const override;
  void take_away(jobs::HostId host) override;

  /// Where agents are told to go; known once the coordinator listens.
  void set_endpoint(std::string endpoint) { endpoint_ = std::move(endpoint); }

 private:
  struct Ending;
  struct Watched;
  Result<void> start_agent(const jobs::CreateHost& host);
  void look_at_ending(jobs::HostId host);
  void watch_processes(jobs::HostId host, const std::vector<std::int64_t>& pids, bool joined);
  void wait_for_death(jobs::HostId host);
  void wait_for_lock(jobs::HostId host);
  void kill_all_of(jobs::HostId host);
  std::string folder_of(jobs::HostId host) const;
  std::string lock_of(jobs::HostId host) const { return folder_of(host) + "/lock"; }

  boost::asio::io_context& loop_;
  StateHome home_;
  Duration abandon_after_;
  std::string endpoint_;
  Answers answers_;
  std::map<jobs::HostId, std::unique_ptr<Ending>> ending_;
  std::map<jobs::HostId, std::unique_ptr<Watched>> watched_;
};

}  // namespace ringmaster::launcher

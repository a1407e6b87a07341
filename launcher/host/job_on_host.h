// SPDX-License-Identifier: Apache-2.0
//
// One job's part on this host: its plan, the file that its ranks write to, its Agent.
//
// Thread rules: the loop's thread.
#pragma once

#include <memory>
#include <optional>

#include "jobs/wire/messages.pb.h"
#include "launcher/agent.h"

namespace ringmaster::launcher {

class JobOnHost {
 public:
  struct Place {
    std::string host;        // names the log file
    std::string address;     // of the ranks' endpoints
    std::string log_folder;  // when the job names none
    std::vector<std::string> environment;
    Pool* pool;  // of the host, for what blocks; it outlives the job
  };
  static Result<std::unique_ptr<JobOnHost>> create(boost::asio::io_context& loop,
                                                   const wire::Launch& launch, const Place& place,
                                                   Agent::OnEvent on_event);

  Agent& agent() { return *agent_; }
  const Agent& agent() const { return *agent_; }
  /// Gives the oldest part of a long log back to the file system; what stays keeps its offsets.
  void trim_log() const;

  /// The job has ended: it goes as soon as its last process and output have.
  bool over = false;

 private:
  JobOnHost() = default;
  Plan plan_;
  std::string log_path_;
  std::optional<Sink> log_;
  std::optional<Saver> saver_;  // where the job saves its state
  std::unique_ptr<Agent> agent_;
};

/// "[host] " lines of all ranks go to LOG_FOLDER/HOST.log.
std::string log_path(const std::string& folder, const std::string& host);

/// A log that is longer than `most` loses its oldest bytes, so that `least` are left.
Result<void> trim_file(const std::string& path, std::int64_t most, std::int64_t least);

std::vector<Drill> drills_of(const wire::Launch& launch);

}  // namespace ringmaster::launcher

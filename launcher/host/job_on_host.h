// SPDX-License-Identifier: Apache-2.0
//
// One job's part on this host: its plan, the file that its ranks write to, its Agent.
//
// Where the host shares the coordinator's files, that file is the job's log. Elsewhere it has no
// name and only holds what the coordinator has not taken yet (outgoing_log.h).
//
// Thread rules: the loop's thread.
#pragma once

#include <memory>
#include <optional>

#include "jobs/wire/messages.pb.h"
#include "launcher/agent.h"
#include "launcher/host/outgoing_log.h"

namespace ringmaster::launcher {

class JobOnHost {
 public:
  struct Place {
    std::string host;            // names the log file
    std::string address;         // of the ranks' endpoints
    std::string waiting_folder;  // for output that the coordinator has not taken
    std::vector<std::string> environment;
    Pool* pool;  // of the host, for what blocks; it outlives the job
  };
  static Result<std::unique_ptr<JobOnHost>> create(boost::asio::io_context& loop,
                                                   const wire::Launch& launch, const Place& place,
                                                   Agent::OnEvent on_event);

  Agent& agent() { return *agent_; }
  const Agent& agent() const { return *agent_; }
  /// Gives what need not be kept back to the file system; what stays keeps its offsets.
  void trim_log();

  /// The next piece for the coordinator, if there is one; it counts as sent.
  std::optional<wire::FromAgent::Output> next_output();
  /// True when the coordinator has come further.
  bool output_taken(const wire::ToAgent::OutputTaken& answer);
  void rewind_output() {
    if (outgoing_) outgoing_->rewind();
  }
  std::int64_t output_in_flight() const { return outgoing_ ? outgoing_->in_flight() : 0; }
  bool output_waits() const { return outgoing_ && outgoing_->waits_for_answer(); }

  /// Writes what the coordinator has not taken into a new file. False when there is nothing.
  Result<bool> keep_output(const std::string& path);

  /// The job has ended.
  void end(Time now);
  /// Nothing of it is left here: no process, and no output that the coordinator could still take.
  /// What it does not take for `patience` is given up.
  bool cleared(Time now, Duration patience) const;

 private:
  JobOnHost() = default;
  Result<void> open_log(boost::asio::io_context& loop, const std::string& folder,
                        const Place& place);
  bool over() const { return over_since_.has_value(); }
  std::int64_t job_ = 0;
  std::optional<Time> over_since_;
  FileDescriptor unnamed_;  // the file of outgoing output
  std::optional<OutgoingLog> outgoing_;
  Plan plan_;
  std::string log_path_;
  std::optional<Sink> log_;
  std::optional<Saver> saver_;  // where the job saves its state
  std::unique_ptr<Agent> agent_;
};

std::vector<Drill> drills_of(const wire::Launch& launch);

}  // namespace ringmaster::launcher

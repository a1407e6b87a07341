// SPDX-License-Identifier: Apache-2.0
//
// The shell of the core for many jobs: hears agents and clients, writes each event down, steps the
// core, performs its actions by messages to agents and calls to the provider. Decides nothing.
//
// It may be killed at any moment. The next one replays the journal, repeats what was not answered
// (jobs/core/outstanding.h), and agents say again what was not acknowledged; ranks never notice.
//
// Thread rules: the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "jobs/coordinator/checkpoints.h"
#include "jobs/coordinator/host_logs.h"
#include "jobs/coordinator/host_provider.h"
#include "jobs/coordinator/journal.h"
#include "jobs/core/core.h"
#include "net/server.h"
#include "net/timer.h"

namespace ringmaster::jobs {

/// What a job's ranks write is there, as far as its hosts share this file system.
std::string log_folder_of(const std::string& home, JobId job);

class Coordinator {
 public:
  struct Options {
    std::string home;     // the state directory: journal, logs
    std::string address;  // "tcp://127.0.0.1:0"
    net::KeyPair keys;
    std::set<std::string> allowed;                   // public keys that may speak to it
    Duration host_lease = std::chrono::seconds(10);  // a host that is silent for so long is lost
    std::int64_t keep_jobs = 10'000;              // that have ended: older ones go, with their logs
    std::function<void(const std::string&)> say;  // a line for the log
    std::function<void(const Error&)> on_failure;            // it cannot go on (the disk is full)
    std::function<void()> on_stop;                           // a client asked it to end
    std::function<bool(const std::string& key)> is_allowed;  // since the start
  };

  /// Replays the journal and listens. The provider outlives it.
  static Result<std::unique_ptr<Coordinator>> open(boost::asio::io_context& loop, Options options,
                                                   HostProvider& provider);

  const std::string& endpoint() const { return server_->endpoint(); }
  const State& state() const { return core_.state(); }

 private:
  /// One agent's connection.
  struct Link {
    std::string peer;
    Time heard;
  };
  Coordinator(boost::asio::io_context& loop, Options options, HostProvider& provider);

  Result<void> replay();
  void repeat_orders();
  void set_answers();
  Time now() const { return read_clock() + offset_; }

  // Taking in: journal, step, perform.
  void take(const Event& event, std::optional<Source> source = {});
  void note_what_is_gone(const Event& event);
  void compact_if_due();
  void forget_old_jobs();
  void perform_all(const Actions& actions);
  void perform(const CreateHost& action);
  void perform(const ReleaseHost& action);
  void perform(const StartRank& action);
  void perform(const SignalRank& action);
  void perform(const AbortGeneration& action);
  void perform(const FormGeneration& action);
  void perform(const EndJob& action);
  void perform(const Report& action);
  void perform(const OpenTerm& action);
  void perform(const CommitCheckpoint& action);
  void perform(const AskForSave& action);
  Checkpoints::Place place_of(JobId job) const;
  void set_timer();
  void fail(const Error& error);

  // Agents (coordinator_agents.cc).
  void on_agent(const std::string& peer, const wire::FromAgent& message);
  void on_hello(const std::string& peer, const wire::Hello& hello);
  void on_numbered(HostId host, const wire::NumberedEvent& message);
  void send(HostId host, const wire::ToAgent& message);
  void send_to_members(const Job& job, const wire::ToAgent& message);
  void ask_who(const std::string& peer);
  void dismiss(const std::string& peer, const std::string& why);
  void write_progress();
  void look_for_silent_hosts();
  void arm_reclaims();

  // Output of ranks on other machines (coordinator_logs.cc).
  void on_output(HostId host, const wire::FromAgent::Output& message);
  void expect_output(const StartRank& action, wire::Launch& launch);
  void end_job_at(HostId host, JobId job);
  bool owes_output() const;
  void stop_when_output_is_here(Time latest);

  // Clients (coordinator_clients.cc).
  void on_client(const std::string& peer, const wire::FromClient& message);
  wire::ToClient submit(const wire::FromClient::Submit& request);
  wire::ToClient cancel(const wire::FromClient::Cancel& request);
  wire::ToClient reclaim(const wire::FromClient::Reclaim& request);

  boost::asio::io_context& loop_;
  Options options_;
  HostProvider& provider_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<net::Server> server_;
  Core core_;
  Duration offset_{};  // the core's clock never goes back, this machine's does at a reboot
  std::map<JobId, wire::Launch> launches_;
  std::map<HostId, std::int64_t> taken_;  // the last number of each agent's events
  std::map<HostId, Link> links_;
  std::map<std::string, HostId> hosts_by_peer_;
  std::map<HostId, std::unique_ptr<net::Timer>> reclaims_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> progress_;  // job, rank: steps
  net::Timer core_timer_;
  net::Timer silence_timer_;
  std::int64_t since_snapshot_ = 0;  // events
  bool failed_ = false;
  HostLogs logs_;
  net::Timer stop_timer_;
  Checkpoints checkpoints_;
};

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
//
// The agent of this host: performs the core's actions on real processes and shared memory, and
// turns what happens to them into events. Decides nothing.
// Under ringrun it lives in the launcher's own process.
//
// Thread rules: the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "collectives/shm/segment.h"
#include "jobs/core/action.h"
#include "launcher/contracts/contracts.h"
#include "launcher/ending/casualties.h"
#include "launcher/ending/exit_reasons.h"
#include "launcher/ending/stillness.h"
#include "launcher/input/input_feed.h"
#include "launcher/output/sink.h"
#include "launcher/plan.h"
#include "launcher/rank_process.h"
#include "launcher/saver.h"

namespace ringmaster::launcher {

class Agent {
 public:
  using OnEvent = std::function<void(const jobs::Event&)>;
  using OnNotice = std::function<void(Duration notice)>;
  struct Streams {
    Sink* output;
    Sink* error;
    std::function<void(const Error&)> on_file_error = {};  // of a rank's own files
    int terminal_columns = 0;                              // of our standard error; 0: no terminal
    Voices* voices = nullptr;                              // hear what ranks write
    InputFeed* input = nullptr;                            // none: ranks read /dev/null
  };

  /// `environment`: what every rank finds besides its own variables. `on_event` is called from
  /// the loop, never from within perform().
  static Result<std::unique_ptr<Agent>> create(boost::asio::io_context& loop, const Plan& plan,
                                               std::vector<std::string> environment,
                                               Streams streams, OnEvent on_event);
  ~Agent();

  /// Does what the action says, as far as it is an agent's to do. An action that comes twice does
  /// nothing the second time.
  void perform(const jobs::Action& action);

  /// Faults for ranks that are about to start. `on_notice` is called for one that takes the host.
  void add_drills(const std::vector<Drill>& drills);
  void set_on_notice(OnNotice on_notice) { on_notice_ = std::move(on_notice); }
  /// Where ranks save to and load from; it outlives the agent.
  void set_saver(Saver* saver) { saver_ = saver; }

  /// A rank's LOCAL_RANK and LOCAL_WORLD_SIZE, where they are not its number and the job's size.
  void set_local_rank(int rank, int local_rank, int local_size);

  /// The living processes of this job; and all that must live when one job's orphans are cleared.
  std::vector<pid_t> pids() const;
  std::pair<pid_t, std::string> traces_of(const jobs::RankId& id) const;  // and its error file
  void set_keep(std::function<std::vector<pid_t>()> keep) { keep_ = std::move(keep); }

  /// The processes that run, and what shows that they do.
  std::vector<RankSign> signs() const;
  /// Finished steps of each rank that runs here.
  std::vector<std::pair<int, std::int64_t>> progress() const;

  /// To every rank's process group, for signals that are no event: USR1, STOP, CONT.
  void signal_all(int signal_number);

  /// What there is of the rank's process at this moment.
  Found look_at(const jobs::RankId& id);

  /// True when no process is left and all output was handed on.
  bool idle() const;

 private:
  struct Running;  // agent_running.h
  struct Deferred;
  struct Prepared;
  Agent(boost::asio::io_context& loop, const Plan& plan, Streams streams, OnEvent on_event,
        collectives::Segment segment);

  void start(const jobs::StartRank& action);
  void start_now(const jobs::StartRank& action);
  void start_deferred();
  Result<Prepared> prepare(int rank, int attempt);
  void end_failed(int rank);
  void abort(const jobs::AbortGeneration& action);
  void signal(const jobs::SignalRank& action);
  void form(const jobs::FormGeneration& action);
  void form_now(const jobs::FormGeneration& action);
  void send_form(const jobs::FormGeneration& action);
  // Saves and loads (agent_saves.cc).
  void ask_for_save();
  void release_exit(jobs::Incarnation incarnation);
  void on_shard_done(const jobs::RankId& id, const jobs::Event& event);
  void on_staged(const jobs::RankId& id, const worker::StagedMessage& message, FileDescriptor fd);
  void load_and_form(const jobs::FormGeneration& action);
  void on_loaded(const jobs::CheckpointAt& at, Result<Saver::Loaded> loaded);
  bool send_restore(Running& running);
  RankHandlers handlers_of(const jobs::RankId& id);
  void on_join(const jobs::RankId& id, std::int64_t steps);
  void on_message(const jobs::RankId& id, const worker::Message& message);
  void on_exit(const jobs::RankId& id, jobs::ExitStatus status, bool core_dumped);
  std::string reason_of(const jobs::RankId& id, jobs::ExitStatus status, bool core_dumped);
  void on_reached(const jobs::RankId& id, std::int64_t steps);
  void set_watch(int rank);
  Result<RankOutput> open_output(int rank, int attempt) const;
  SpawnSpec spec_of(int rank) const;
  void post(const jobs::Event& event);
  void forget_the_over();
  Running* find(const jobs::RankId& id);
  void clear_orphans();
  void clear_left_memory();

  boost::asio::io_context& loop_;
  const Plan& plan_;
  std::unique_ptr<Contracts> contracts_;
  ExitReasons reasons_;
  Streams streams_;
  OnEvent on_event_;
  collectives::Segment segment_;
  std::uint64_t open_files_;  // the soft limit that ranks get back
  std::vector<Drill> drills_left_;
  std::vector<Running> running_;       // started and not over
  std::set<jobs::Incarnation> known_;  // every process that was ordered
  std::unique_ptr<Deferred> deferred_;
  std::function<std::vector<pid_t>()> keep_;
  OnNotice on_notice_;
  jobs::Generation aborted_{}, formed_{};    // the newest
  std::uint32_t lost_ = 0, joined_ = 0;      // since a generation last held one state
  Saver* saver_ = nullptr;                   // none under ringrun
  std::map<jobs::Incarnation, int> saving_;  // shards that are being written
  // Of ranks that have done their work: told after their last shard, so that the job is not over
  // before its last checkpoint.
  std::map<jobs::Incarnation, jobs::RankExited> held_exits_;
  jobs::Term term_;                                  // that shards are named after
  std::optional<jobs::FormGeneration> loading_for_;  // it is told when the checkpoint is there
  std::optional<jobs::CheckpointAt> loaded_at_;
  std::unique_ptr<Saver::Loaded> loaded_;  // as long as generations start from it
};

}  // namespace ringmaster::launcher

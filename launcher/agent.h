// SPDX-License-Identifier: Apache-2.0
//
// The agent of this host: performs the core's actions on real processes and shared memory, and
// turns what happens to them into events. Decides nothing.
//
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
#include "launcher/master_port.h"
#include "launcher/output/sink.h"
#include "launcher/plan.h"
#include "launcher/rank_process.h"

namespace ringmaster::launcher {

class Agent {
 public:
  using OnEvent = std::function<void(const jobs::Event&)>;
  struct Streams {
    Sink* output;
    Sink* error;
    int terminal_columns = 0;  // of our standard error; 0: no terminal
  };

  /// `environment`: what every rank finds besides its own variables. `on_event` is called from the
  /// loop, never from within perform().
  static Result<std::unique_ptr<Agent>> create(boost::asio::io_context& loop, const Plan& plan,
                                               std::vector<std::string> environment,
                                               Streams streams, OnEvent on_event);
  ~Agent();

  /// Does what the action says, as far as it is an agent's to do.
  void perform(const jobs::Action& action);

  /// To every rank's process group, for signals that are no event: USR1, STOP, CONT.
  void signal_all(int signal_number);

  /// True when no process is left and all output was handed on.
  bool idle() const;

 private:
  struct Running {
    jobs::RankId id;
    std::unique_ptr<RankProcess> process;
    jobs::Generation handed;  // the newest generation whose table it got
  };
  Agent(boost::asio::io_context& loop, const Plan& plan, std::vector<std::string> environment,
        Streams streams, OnEvent on_event, collectives::Segment segment, MasterPort port);

  void start(const jobs::StartRank& action);
  void signal(const jobs::SignalRank& action);
  void form(const jobs::FormGeneration& action);
  RankHandlers handlers_of(const jobs::RankId& id);
  void on_message(const jobs::RankId& id, const worker::Message& message);
  void on_exit(const jobs::RankId& id, jobs::ExitStatus status);
  void on_reached(const jobs::RankId& id, std::int64_t steps);
  void set_watch(int rank);
  std::vector<Output> outputs_of(int rank, Sink* sink) const;
  SpawnSpec spec_of(int rank) const;
  void post(const jobs::Event& event);
  void forget_the_over();
  Running* find(const jobs::RankId& id);
  void clear_orphans();

  boost::asio::io_context& loop_;
  const Plan& plan_;
  std::vector<std::string> environment_;
  Streams streams_;
  OnEvent on_event_;
  collectives::Segment segment_;
  MasterPort port_;
  std::uint64_t open_files_;  // the soft limit that ranks get back
  std::vector<Drill> drills_left_;
  std::vector<Running> running_;  // started and not over
  jobs::Generation formed_{};     // the newest
  std::uint32_t lost_ = 0;        // since a generation last held one state
  std::uint32_t joined_ = 0;
};

}  // namespace ringmaster::launcher

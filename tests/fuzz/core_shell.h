// SPDX-License-Identifier: Apache-2.0
//
// A shell around the job core that keeps a shell's duties (jobs/core/core.h) and nothing else: what
// its processes say, and when, is up to the fuzzer.
//
// It keeps its own account of every process, made of what was sent and ordered alone, and checks
// each action against that: the core's invariants look at the core's state, which may be wrong in
// the same way as the decision. Not the simulator: that plays worlds that could be; this one takes
// any order of events that a shell could send.
//
// A violation aborts.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "jobs/core/core.h"
#include "jobs/core/invariants.h"

namespace ringmaster::fuzz {

/// What the outside knows of one process.
struct Process {
  enum class Life { ordered, running, over };
  jobs::RankId id;
  jobs::HostId host;
  Life life = Life::ordered;
  bool ready = false;       // waits for the next generation
  jobs::Generation inside;  // may be in a collective of this one; 0: of none
  bool aborted = false;     // was told that `inside` has ended
  bool finished = false;    // has said that it passed the end of the work
  int signal = 0;           // what it was told to end with
  std::int64_t steps = jobs::kNoState;

  bool alive() const { return life != Life::over; }
};

class CoreShell {
 public:
  void join_host(int slots);
  void lose_host(jobs::HostId host);
  void notice(jobs::HostId host, Duration window);
  /// The provider answers: the oldest host that is being made joins or comes to nothing, the oldest
  /// release is done. False when there is nothing to answer.
  bool answer_create(bool made);
  bool answer_release();
  void submit(const jobs::JobSpec& spec);
  void stop(jobs::JobId job, int signal, bool now);
  void started(Process& process);
  void start_failed(Process& process);
  void ready(Process& process, std::int64_t steps);
  void synced(Process& process, jobs::Generation generation, std::int64_t steps);
  void finished(Process& process, jobs::Generation generation);
  void failed(Process& process);
  void exited(Process& process, jobs::ExitStatus status, std::int64_t steps);
  /// Lets time pass, and keeps duty 5.
  void wait(Duration duration);
  /// Waits for the core's next timer; false: there is none.
  bool wait_for_timer();

  std::deque<Process>& processes() { return processes_; }
  std::vector<Process*> of(Process::Life life);
  /// Whether a collective of its generation can complete: every member takes part, or has passed
  /// the last one.
  bool in_whole_ring(const Process& process);
  /// Who could wait for ever in a collective was told to leave it, at once. Holds when ranks say
  /// only what is so.
  void check_nobody_waits_for_the_gone();
  const std::map<jobs::HostId, int>& hosts() const { return hosts_; }
  std::vector<jobs::JobId> jobs() const;
  /// Whether the job's last action has come.
  bool ended(jobs::JobId job) const { return ends_.contains(job); }
  const jobs::State& state() const { return core_.state(); }

 private:
  void step(const jobs::Event& event);
  void check_step(const jobs::Actions& actions);
  void on(const jobs::CreateHost& action);
  void on(const jobs::ReleaseHost& action);
  void on(const jobs::StartRank& action);
  void on(const jobs::SignalRank& action);
  void on(const jobs::AbortGeneration& action);
  void on(const jobs::FormGeneration& action);
  void on(const jobs::EndJob& action);
  void on(const jobs::Report& action);
  void on(const jobs::OpenTerm&) { CHECK(false); }  // no job of these stories saves
  void on(const jobs::CommitCheckpoint&) { CHECK(false); }
  void on(const jobs::AskForSave&) { CHECK(false); }
  Process* find(const jobs::RankId& id);

  jobs::Core core_;
  jobs::Invariants invariants_;
  Time now_ = Time(std::chrono::seconds(1));
  std::map<jobs::HostId, int> hosts_;  // to their slots
  std::map<jobs::HostId, int> creating_;
  std::set<jobs::HostId> releasing_;
  std::deque<Process> processes_;  // every one that was ever ordered; references stay good
  std::map<jobs::JobId, jobs::GenerationTable> tables_;
  std::map<jobs::JobId, jobs::EndJob> ends_;
};

}  // namespace ringmaster::fuzz

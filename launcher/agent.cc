// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>

#include "launcher/agent_running.h"
#include "launcher/host_facts.h"
#include "launcher/process/descendants.h"

namespace ringmaster::launcher {

Result<std::unique_ptr<Agent>> Agent::create(boost::asio::io_context& loop, const Plan& plan,
                                             std::vector<std::string> environment, Streams streams,
                                             OnEvent on_event) {
  auto segment = collectives::Segment::create(plan.spec.ranks_max);
  if (!segment) return segment.error();
  const std::uint64_t open_files = open_files_limit();
  auto raised = raise_open_files(plan.open_files);
  if (!raised) return raised.error();
  std::unique_ptr<Agent> agent(
      new Agent(loop, plan, streams, std::move(on_event), std::move(*segment)));
  agent->open_files_ = open_files;
  auto contracts = Contracts::create(
      loop, plan, std::move(environment),
      {[self = agent.get()](int rank) { self->end_failed(rank); },
       [streams](const std::string& line) { streams.error->write("ringrun: " + line + "\n"); }});
  if (!contracts) return contracts.error();
  agent->contracts_ = std::move(*contracts);
  return agent;
}

Agent::Agent(boost::asio::io_context& loop, const Plan& plan, Streams streams, OnEvent on_event,
             collectives::Segment segment)
    : loop_(loop),
      plan_(plan),
      streams_(streams),
      on_event_(std::move(on_event)),
      segment_(std::move(segment)),
      open_files_(open_files_limit()),
      drills_left_(plan.drills),
      deferred_(std::make_unique<Deferred>(loop)) {}

Agent::~Agent() = default;

void Agent::post(const jobs::Event& event) {
  boost::asio::post(loop_, [this, event] { on_event_(event); });
}

Agent::Running* Agent::find(const jobs::RankId& id) {
  for (Running& running : running_) {
    if (running.id == id) return &running;
  }
  return nullptr;
}

void Agent::perform(const jobs::Action& action) {
  if (const auto* start_rank = std::get_if<jobs::StartRank>(&action)) start(*start_rank);
  if (const auto* signal_rank = std::get_if<jobs::SignalRank>(&action)) signal(*signal_rank);
  if (const auto* aborted = std::get_if<jobs::AbortGeneration>(&action)) abort(*aborted);
  if (std::holds_alternative<jobs::AskForSave>(action)) ask_for_save();
  if (const auto* generation = std::get_if<jobs::FormGeneration>(&action)) form(*generation);
}

void Agent::abort(const jobs::AbortGeneration& action) {
  if (action.generation <= aborted_) return;
  aborted_ = action.generation;
  segment_.abort(action.generation.value);
  for (const Running& running : running_) {
    const std::uint64_t one = 1;
    CHECK_EQ(::write(running.abort_fd.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    // Its table may have been lost on the way: who still waits says so again.
    if (running.waits && running.handed < action.generation) {
      post(jobs::RankReady{running.id, running.steps, action.generation});
    }
  }
}

/// Replacements that wait until the survivors have their next generation: a start takes
/// milliseconds of this thread, which is what tells them.
struct Agent::Deferred {
  // Longer than survivors need to leave a collective; one inside a long step is not waited for.
  static constexpr Duration kLongest = std::chrono::milliseconds(50);
  explicit Deferred(boost::asio::io_context& loop) : timer(loop) {}
  boost::asio::steady_timer timer;
  std::vector<jobs::StartRank> starts;
};

void Agent::start(const jobs::StartRank& action) {
  if (!known_.insert(action.id.incarnation).second) return;
  const bool re_forming = formed_.value > 0 && aborted_ == formed_;
  if (!re_forming) return start_now(action);
  deferred_->starts.push_back(action);
  deferred_->timer.expires_after(Deferred::kLongest);
  deferred_->timer.async_wait([this](const boost::system::error_code& code) {
    if (!code) start_deferred();
  });
}

void Agent::start_deferred() {
  deferred_->timer.cancel();
  std::vector<jobs::StartRank> starts;
  starts.swap(deferred_->starts);
  for (const jobs::StartRank& action : starts) start_now(action);
}

void Agent::on_join(const jobs::RankId& id, std::int64_t steps) {
  Running* running = find(id);
  if (running == nullptr) return;
  running->waits = true;
  running->steps = steps;
  on_event_(jobs::RankReady{id, steps, running->handed});
}

void Agent::on_message(const jobs::RankId& id, const worker::Message& message) {
  if (const auto* join = std::get_if<worker::JoinMessage>(&message)) {
    on_join(id, std::max(join->steps, jobs::kNoState));
  } else if (const auto* synced = std::get_if<worker::SyncedMessage>(&message)) {
    if (formed_.value == synced->generation) lost_ = joined_ = 0;
    on_event_(jobs::RankSynced{id, jobs::Generation{synced->generation},
                               std::max<std::int64_t>(synced->steps, 0),
                               jobs::Rank{synced->source}});
  } else if (const auto* reached = std::get_if<worker::ReachedMessage>(&message)) {
    on_reached(id, reached->steps);
  } else if (const auto* finished = std::get_if<worker::FinishedMessage>(&message)) {
    on_event_(jobs::RankFinished{id, jobs::Generation{finished->generation}});
  } else if (const auto* failed = std::get_if<worker::FailedMessage>(&message)) {
    on_event_(jobs::RankFailed{id, failed->text});
  }
}

void Agent::set_watch(int rank) {
  std::int64_t next = collectives::Segment::kNoWatch;
  for (const Drill& drill : drills_left_) {
    if (drill.rank == rank) next = std::min(next, drill.steps);
  }
  segment_.slot(rank).watch.store(next);
}

void Agent::add_drills(const std::vector<Drill>& drills) {
  drills_left_.insert(drills_left_.end(), drills.begin(), drills.end());
}

std::vector<std::pair<int, std::int64_t>> Agent::progress() const {
  std::vector<std::pair<int, std::int64_t>> all;
  for (const Running& running : running_) {
    const int rank = static_cast<int>(running.id.rank.value);
    all.emplace_back(rank, segment_.slot(rank).steps.load());
  }
  return all;
}

void Agent::on_reached(const jobs::RankId& id, std::int64_t steps) {
  const int rank = static_cast<int>(id.rank.value);
  bool kills = false;
  for (const Drill& drill : drills_left_) {
    if (drill.rank != rank || drill.steps > steps) continue;
    if (drill.notice == Duration::zero()) kills = true;
    if (drill.notice > Duration::zero() && on_notice_) on_notice_(drill.notice);
  }
  std::erase_if(drills_left_,
                [&](const Drill& drill) { return drill.rank == rank && drill.steps <= steps; });
  set_watch(rank);
  // A real fault: the core is not told, it has to find out.
  Running* running = find(id);
  if (kills && running != nullptr) running->process->signal(SIGKILL);
}

void Agent::on_exit(const jobs::RankId& id, jobs::ExitStatus status, bool core_dumped) {
  const int rank = static_cast<int>(id.rank.value);
  const std::string why = reason_of(id, status, core_dumped);
  const RankEnd end = contracts_->end_of(rank, status);
  status = end.status;
  if (!end.words.empty()) on_event_(jobs::RankFailed{id, end.words});
  const jobs::RankExited exit{id, status, segment_.slot(rank).steps.load(), why};
  if (status.success() && saving_.contains(id.incarnation)) {
    held_exits_.emplace(id.incarnation, exit);
  } else {
    on_event_(exit);
  }
  // What the rank had started and what left its session has come up to us, the subreaper. The
  // survivors heal first: none of this can write where they do.
  boost::asio::post(loop_, [this] { clear_orphans(); });
  forget_the_over();
}

std::vector<pid_t> Agent::pids() const {
  std::vector<pid_t> all;
  for (const Running& running : running_) {
    if (!running.process->exited()) all.push_back(running.process->pid());
  }
  for (const pid_t pid : contracts_->helper_pids()) all.push_back(pid);
  return all;
}

void Agent::clear_orphans() {
  const std::vector<pid_t> keep = keep_ ? keep_() : pids();
  // Killed processes are reaped in microseconds; one that hangs in the kernel must not hold up the
  // loop, and the guard looks again at the end.
  const auto cleared = kill_all_children(std::chrono::milliseconds(200), keep);
  if (!cleared) {
    streams_.error->write(fmt::format("ringrun: {}\n", cleared.error().message));
  }
}

void Agent::forget_the_over() {
  // Posted: we are in a call of the process that would be destroyed.
  boost::asio::post(loop_, [this] {
    const auto over = [](const Running& running) { return running.process->over(); };
    running_.erase(std::remove_if(running_.begin(), running_.end(), over), running_.end());
  });
}

void Agent::signal(const jobs::SignalRank& action) {
  auto& waiting = deferred_->starts;
  const auto same = [&](const jobs::StartRank& start) { return start.id == action.id; };
  const auto ordered = std::find_if(waiting.begin(), waiting.end(), same);
  if (known_.insert(action.id.incarnation).second || ordered != waiting.end()) {
    // It ends before it began: its start is still to come, or was lost on the way here.
    if (ordered != waiting.end()) waiting.erase(ordered);
    post(jobs::RankExited{action.id, {0, action.signal}, jobs::kNoState});
    return;
  }
  Running* running = find(action.id);
  if (running != nullptr) running->process->signal(action.signal);
  // Who signals waits for the end, and has no time for a store.
  const auto incarnation = action.id.incarnation;
  if (held_exits_.contains(incarnation)) {
    boost::asio::post(loop_, [this, incarnation] { release_exit(incarnation); });
  }
}

Found Agent::look_at(const jobs::RankId& id) {
  const Running* running = find(id);
  if (running == nullptr) return Found::nothing;
  return running->process->ended() ? Found::ended : Found::alive;
}

void Agent::signal_all(int signal_number) {
  for (Running& running : running_) running.process->signal(signal_number);
}

void Agent::form(const jobs::FormGeneration& action) {
  const auto& table = action.table;
  if (table.generation <= formed_ || table.generation <= aborted_) return;  // said again
  term_ = table.term;
  if (table.restore && saver_ != nullptr && loaded_at_ != table.restore) {
    return load_and_form(action);
  }
  if (!table.restore) {
    loaded_.reset();
    loaded_at_.reset();
  }
  form_now(action);
}

void Agent::form_now(const jobs::FormGeneration& action) {
  const auto& table = action.table;
  loading_for_.reset();
  segment_.reset();
  // A generation that broke before it held one state was seen by nobody: what it lost counts on.
  lost_ += static_cast<std::uint32_t>(table.lost.size());
  joined_ += static_cast<std::uint32_t>(table.joined.size());
  formed_ = table.generation;
  send_form(action);
  boost::asio::post(loop_, [this] { clear_left_memory(); });
  if (!deferred_->starts.empty()) boost::asio::post(loop_, [this] { start_deferred(); });
}

void Agent::send_form(const jobs::FormGeneration& action) {
  const auto& table = action.table;
  worker::FormMessage message{.generation = table.generation.value,
                              .since_ns = table.since.time_since_epoch().count(),
                              .joined = joined_,
                              .lost = lost_,
                              .cpus = static_cast<std::uint32_t>(plan_.cpus),
                              .reason = table.reason,
                              .save_every = saver_ != nullptr ? plan_.save_every : 0,
                              .save_period_ns = saver_ != nullptr ? plan_.save_period.count() : 0};
  bool several_hosts = false;
  for (const auto& member : table.members) {
    message.numbers.push_back(static_cast<std::uint32_t>(member.id.rank.value));
    several_hosts = several_hosts || member.host != table.members.front().host;
  }
  // On one host they have its shared memory.
  if (several_hosts) {
    for (const auto& member : table.members) {
      message.endpoints.push_back(member.endpoint);
      message.hosts.push_back(static_cast<std::uint32_t>(member.host.value));
    }
    message.secret = plan_.secret;
  }
  for (std::size_t position = 0; position < table.members.size(); ++position) {
    message.position = static_cast<std::uint32_t>(position);
    Running* running = find(table.members[position].id);
    if (running == nullptr) continue;  // on another host, or gone
    running->handed = table.generation;
    running->waits = false;
    if (table.restore && !send_restore(*running)) continue;
    // Who cannot take a packet is dying, or has stopped to read: either way it is not a member.
    if (!running->process->send(message)) running->process->signal(SIGKILL);
  }
}

bool Agent::idle() const {
  return running_.empty();
}

}  // namespace ringmaster::launcher

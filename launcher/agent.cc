// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>

#include "launcher/host_facts.h"
#include "launcher/process/descendants.h"
#include "worker/contract.h"

namespace ringmaster::launcher {

Result<std::unique_ptr<Agent>> Agent::create(boost::asio::io_context& loop, const Plan& plan,
                                             std::vector<std::string> environment, Streams streams,
                                             OnEvent on_event) {
  auto segment = collectives::Segment::create(plan.spec.ranks_max);
  if (!segment) return segment.error();
  auto port = MasterPort::bind();
  if (!port) return port.error();
  const std::uint64_t open_files = open_files_limit();
  auto raised = raise_open_files(plan.open_files);
  if (!raised) return raised.error();
  std::unique_ptr<Agent> agent(new Agent(loop, plan, std::move(environment), streams,
                                         std::move(on_event), std::move(*segment),
                                         std::move(*port)));
  agent->open_files_ = open_files;
  return agent;
}

Agent::Agent(boost::asio::io_context& loop, const Plan& plan, std::vector<std::string> environment,
             Streams streams, OnEvent on_event, collectives::Segment segment, MasterPort port)
    : loop_(loop),
      plan_(plan),
      environment_(std::move(environment)),
      streams_(streams),
      on_event_(std::move(on_event)),
      segment_(std::move(segment)),
      port_(std::move(port)),
      open_files_(open_files_limit()),
      drills_left_(plan.drills) {}

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
  if (const auto* abort = std::get_if<jobs::AbortGeneration>(&action)) {
    segment_.abort(abort->generation.value);
  }
  if (const auto* generation = std::get_if<jobs::FormGeneration>(&action)) form(*generation);
}

std::vector<Output> Agent::outputs_of(int rank, Sink* sink) const {
  const std::string prefix = plan_.tag_output ? fmt::format("[{}] ", rank) : "";
  const bool terminal = isatty(sink == streams_.output ? STDOUT_FILENO : STDERR_FILENO) == 1;
  const auto ends = terminal ? LineSplitter::Ends::newline_or_return : LineSplitter::Ends::newline;
  // A single rank has no lines of others to tear.
  return {Output{sink, LineSplitter(prefix, ends), terminal || plan_.spec.ranks_max == 1}};
}

SpawnSpec Agent::spec_of(int rank) const {
  SpawnSpec spec;
  spec.command = plan_.command;
  spec.environment = environment_;
  for (const auto& [name, value] : rank_variables(plan_, rank, port_.number())) {
    spec.environment.push_back(name + "=" + value);
  }
  spec.environment.push_back(fmt::format("{}={}", worker::kRankVariable, rank));
  spec.environment.push_back(fmt::format("{}={}", worker::kSegmentVariable, segment_.fd()));
  if (streams_.terminal_columns > 0) {
    spec.environment.push_back(fmt::format("RINGMASTER_TERMINAL={}", streams_.terminal_columns));
  }
  // A terminal belongs to the launcher's session: in its own, rank 0 could not read it.
  if (rank == 0 && isatty(STDIN_FILENO) == 0) spec.fds.input = STDIN_FILENO;
  spec.inherited_fds.push_back(segment_.fd());
  spec.open_files = open_files_;
  return spec;
}

void Agent::start(const jobs::StartRank& action) {
  const int rank = static_cast<int>(action.id.rank.value);
  segment_.slot(rank).steps.store(jobs::kNoState);
  set_watch(rank);
  auto process = RankProcess::start(loop_, spec_of(rank), outputs_of(rank, streams_.output),
                                    outputs_of(rank, streams_.error), handlers_of(action.id));
  if (!process) {
    post(jobs::RankStartFailed{action.id, exit_code_of(process.error()), process.error().message});
    return;
  }
  running_.push_back({action.id, std::move(*process), {}});
  post(jobs::RankStarted{action.id});
}

RankHandlers Agent::handlers_of(const jobs::RankId& id) {
  return {.on_message = [this, id](const worker::Message& message) { on_message(id, message); },
          .on_bad_message =
              [this, id](const Error& error) {
                on_event_(jobs::RankFailed{id, "said what cannot be understood: " + error.message});
                signal({id, SIGKILL, error.message});
              },
          .on_exit = [this, id](jobs::ExitStatus status) { on_exit(id, status); },
          .on_output_end = [this] { forget_the_over(); }};
}

void Agent::on_message(const jobs::RankId& id, const worker::Message& message) {
  if (const auto* join = std::get_if<worker::JoinMessage>(&message)) {
    const Running* running = find(id);
    const jobs::Generation left = running == nullptr ? jobs::Generation{} : running->handed;
    on_event_(jobs::RankReady{id, std::max(join->steps, jobs::kNoState), left});
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

void Agent::on_reached(const jobs::RankId& id, std::int64_t steps) {
  const int rank = static_cast<int>(id.rank.value);
  const auto due = [&](const Drill& drill) { return drill.rank == rank && drill.steps <= steps; };
  const auto left = std::remove_if(drills_left_.begin(), drills_left_.end(), due);
  const bool any = left != drills_left_.end();
  drills_left_.erase(left, drills_left_.end());
  // A real fault: the core is not told, it has to find out.
  Running* running = find(id);
  if (any && running != nullptr) running->process->signal(SIGKILL);
}

void Agent::on_exit(const jobs::RankId& id, jobs::ExitStatus status) {
  const int rank = static_cast<int>(id.rank.value);
  on_event_(jobs::RankExited{id, status, segment_.slot(rank).steps.load()});
  // What the rank had started and what left its session has come up to us, the subreaper. The
  // survivors heal first: none of this can write where they do.
  boost::asio::post(loop_, [this] { clear_orphans(); });
  forget_the_over();
}

void Agent::clear_orphans() {
  std::vector<pid_t> keep;
  for (const Running& running : running_) {
    if (!running.process->exited()) keep.push_back(running.process->pid());
  }
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
  Running* running = find(action.id);
  if (running != nullptr) running->process->signal(action.signal);
}

void Agent::signal_all(int signal_number) {
  for (Running& running : running_) running.process->signal(signal_number);
}

void Agent::form(const jobs::FormGeneration& action) {
  segment_.reset();
  const auto& table = action.table;
  // A generation that broke before it held one state was seen by nobody: what it lost counts on.
  lost_ += static_cast<std::uint32_t>(table.lost.size());
  joined_ += static_cast<std::uint32_t>(table.joined.size());
  formed_ = table.generation;
  worker::FormMessage message{.generation = table.generation.value,
                              .since_ns = table.since.time_since_epoch().count(),
                              .joined = joined_,
                              .lost = lost_,
                              .cpus = static_cast<std::uint32_t>(plan_.cpus),
                              .reason = table.reason};
  for (const auto& member : table.members) {
    message.numbers.push_back(static_cast<std::uint32_t>(member.id.rank.value));
  }
  for (std::size_t position = 0; position < table.members.size(); ++position) {
    message.position = static_cast<std::uint32_t>(position);
    Running* running = find(table.members[position].id);
    if (running != nullptr) running->handed = table.generation;
    // Who cannot take a packet is dying, or has stopped to read: either way it is not a member.
    if (running != nullptr && !running->process->send(message)) {
      running->process->signal(SIGKILL);
    }
  }
}

bool Agent::idle() const {
  return running_.empty();
}

}  // namespace ringmaster::launcher

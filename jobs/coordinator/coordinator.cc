// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/coordinator.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>

#include "jobs/core/outstanding.h"
#include "jobs/wire/convert.h"

namespace ringmaster::jobs {

namespace {

/// Old jobs that go in one turn: removing logs must not hold agents back.
constexpr std::int64_t kForgottenAtOnce = 20;

}  // namespace

std::string log_folder_of(const std::string& home, JobId job) {
  return fmt::format("{}/jobs/{}", home, job.value);
}

Result<std::unique_ptr<Coordinator>> Coordinator::open(boost::asio::io_context& loop,
                                                       Options options, HostProvider& provider) {
  std::unique_ptr<Coordinator> coordinator(new Coordinator(loop, std::move(options), provider));
  auto journal = Journal::open(coordinator->options_.home + "/journal.db", Journal::Mode::write);
  if (!journal) return journal.error();
  coordinator->journal_ = std::move(*journal);
  if (auto replayed = coordinator->replay(); !replayed) return replayed.error();
  auto* self = coordinator.get();
  auto server = net::Server::bind(
      loop, self->options_.address, self->options_.keys, self->options_.allowed,
      {.on_message =
           [self](const std::string& peer, const std::string&, std::string_view bytes) {
             wire::Hail hail;
             const bool read = hail.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
             if (read && hail.has_agent()) self->on_agent(peer, hail.agent());
             if (read && hail.has_client()) self->on_client(peer, hail.client());
           },
       .look_again = [self](const std::string& key) { return self->options_.is_allowed(key); },
       .on_refused =
           [self](const std::string& address, const std::string& key) {
             self->options_.say(fmt::format("refused {}: {}", address,
                                            key.empty() ? "no key" : "unknown key " + key));
           }});
  if (!server) return server.error();
  self->server_ = std::move(*server);
  self->set_answers();
  self->repeat_orders();
  self->forget_old_jobs();
  self->look_for_silent_hosts();
  return coordinator;
}

Coordinator::Coordinator(boost::asio::io_context& loop, Options options, HostProvider& provider)
    : loop_(loop),
      options_(std::move(options)),
      provider_(provider),
      core_timer_(loop),
      silence_timer_(loop),
      logs_(options_.home + "/jobs", [this](const std::string& line) { options_.say(line); }, {}),
      stop_timer_(loop),
      checkpoints_(loop, [this](const Event& event) { take(event); }) {}

Result<void> Coordinator::replay() {
  std::int64_t last_event = 0;
  if (auto read = journal_->catch_up(core_, last_event); !read) return read;
  const auto events = journal_->count_events();
  if (!events) return events.error();
  since_snapshot_ = *events;
  const Time last = core_.last_step();
  if (read_clock() < last) offset_ = last - read_clock();
  auto jobs = journal_->read_living_jobs();
  if (!jobs) return jobs.error();
  for (JobEntry& job : *jobs) launches_[job.job] = std::move(job.launch);
  auto sources = journal_->read_sources();
  if (!sources) return sources.error();
  for (const Source& source : *sources) taken_[source.host] = source.number;
  return {};
}

void Coordinator::set_answers() {
  provider_.set_answers({.create_failed =
                             [this](HostId host, const std::string& why) {
                               take(HostCreateFailed{host, why});
                             },
                         .released =
                             [this](HostId host) {
                               take(HostReleased{host});
                               taken_.erase(host);
                               if (auto forgotten = journal_->forget_host(host); !forgotten)
                                 fail(forgotten.error());
                             },
                         .lost =
                             [this](HostId host, const std::string& why) {
                               take(HostLost{host, why});
                               logs_.lose(host);
                             }});
}

void Coordinator::repeat_orders() {
  const auto is_gone = [&](HostId id) {
    const auto host = core_.state().hosts.find(id);
    return host == core_.state().hosts.end() || host->second.state == HostState::releasing;
  };
  logs_.find_again(is_gone);
  perform_all(outstanding(core_.state()));
  for (const auto& [id, host] : core_.state().hosts) {
    if (host.state != HostState::up && host.state != HostState::draining) continue;
    links_[id].heard = now();  // as of now: it gets its lease to say hello
    if (host.created) provider_.find_again(id);
  }
  arm_reclaims();
  set_timer();
}

void Coordinator::take(const Event& event, std::optional<Source> source) {
  if (failed_) return;
  Decided decided = decide(core_, now(), read_wall_seconds(), event);
  decided.source = source;
  for (EndedJob& ended : decided.ended) {
    for (const auto& [at, steps] : progress_) {
      if (at.first == ended.end.job.value) ended.steps = std::max(ended.steps, steps);
    }
  }
  if (auto written = journal_->append(decided); !written) return fail(written.error());
  if (source) taken_[source->host] = source->number;
  perform_all(decided.actions);
  note_what_is_gone(event);
  if (!decided.ended.empty()) forget_old_jobs();
  set_timer();
  compact_if_due();
}

void Coordinator::note_what_is_gone(const Event& event) {
  Result<void> noted = {};
  if (const auto* lost = std::get_if<HostLost>(&event)) {
    const bool gone = !core_.state().hosts.contains(lost->host);  // else its release is awaited
    if (gone && taken_.erase(lost->host) > 0) noted = journal_->forget_host(lost->host);
  }
  if (const auto* late = std::get_if<CheckpointCommitted>(&event)) {
    const bool gone = !core_.state().jobs.contains(late->job);
    if (gone) noted = journal_->note_durable(late->job, late->steps);
  }
  if (!noted) fail(noted.error());
}

void Coordinator::compact_if_due() {
  if (failed_ || ++since_snapshot_ < kEventsBetweenSnapshots) return;
  // A snapshot costs what the state is large: it comes when as many events pay for it.
  std::size_t records = core_.state().hosts.size();
  for (const auto& [id, job] : core_.state().jobs) records += job.ranks.size();
  if (since_snapshot_ < static_cast<std::int64_t>(records)) return;
  if (auto compacted = journal_->compact(core_); !compacted) return fail(compacted.error());
  since_snapshot_ = 0;
}

void Coordinator::forget_old_jobs() {
  if (failed_) return;
  const auto surplus = journal_->surplus_jobs(options_.keep_jobs, kForgottenAtOnce);
  if (!surplus) return fail(surplus.error());
  for (const JobId job : *surplus) {
    // The logs first: nobody would find them without the job.
    std::error_code ignored;
    std::filesystem::remove_all(log_folder_of(options_.home, job), ignored);
    if (auto forgotten = journal_->forget_job(job); !forgotten) return fail(forgotten.error());
  }
}

void Coordinator::fail(const Error& error) {
  failed_ = true;
  options_.on_failure(error);
}

void Coordinator::perform_all(const Actions& actions) {
  for (const Action& action : actions) {
    std::visit([this](const auto& one) { perform(one); }, action);
  }
}

void Coordinator::perform(const CreateHost& action) {
  options_.say(fmt::format("making host {}: {}", action.name, action.reason));
  provider_.create(action);
}

void Coordinator::perform(const ReleaseHost& action) {
  options_.say(fmt::format("releasing host {}: {}", action.host.value, action.reason));
  links_.erase(action.host);
  std::erase_if(hosts_by_peer_, [&](const auto& at) { return at.second == action.host; });
  reclaims_.erase(action.host);
  provider_.release(action.host);
  logs_.lose(action.host);
}

void Coordinator::perform(const StartRank& action) {
  const Job& job = core_.state().jobs.at(action.id.job);
  wire::ToAgent message;
  auto* start = message.mutable_start_rank();
  *start->mutable_id() = to_wire(action.id);
  *start->mutable_launch() = launches_[action.id.job];
  int local_rank = 0, local_size = 0;
  for (const RankRecord& rank : job.ranks) {
    if (!rank.has_process() || rank.host != action.host) continue;
    local_rank += rank.id.rank < action.id.rank ? 1 : 0;
    ++local_size;
  }
  start->set_local_rank(local_rank);
  start->set_local_size(local_size);
  start->set_attempt(action.attempt);
  // A drill is for the first process of a rank: its replacement goes on.
  const auto& record = job.ranks[static_cast<std::size_t>(action.id.rank.value)];
  auto* drills = start->mutable_launch()->mutable_drills();
  for (int i = drills->size() - 1; i >= 0; --i) {
    const bool now = record.starts == 1 && drills->Get(i).rank() == action.id.rank.value;
    if (!now) drills->DeleteSubrange(i, 1);
  }
  start->mutable_launch()->set_master_address(job.meeting.address);
  start->mutable_launch()->set_master_port(job.meeting.port);
  expect_output(action, *start->mutable_launch());
  send(action.host, message);
}

void Coordinator::perform(const SignalRank& action) {
  const Job& job = core_.state().jobs.at(action.id.job);
  wire::ToAgent message;
  *message.mutable_signal_rank()->mutable_id() = to_wire(action.id);
  message.mutable_signal_rank()->set_signal(action.signal);
  send(job.ranks[static_cast<std::size_t>(action.id.rank.value)].host, message);
}

void Coordinator::perform(const AbortGeneration& action) {
  wire::ToAgent message;
  message.mutable_abort_generation()->set_job(action.job.value);
  message.mutable_abort_generation()->set_generation(action.generation.value);
  send_to_members(core_.state().jobs.at(action.job), message);
}

void Coordinator::perform(const FormGeneration& action) {
  send_to_members(core_.state().jobs.at(action.job), to_wire(action, now()));
}

void Coordinator::perform(const EndJob& action) {
  if (!launches_.contains(action.job)) return;  // said again: its end is in the journal
  options_.say(
      fmt::format("job {} {}: {}", action.job.value, state_name(action.state), action.reason));
  launches_.erase(action.job);
  std::erase_if(progress_, [&](const auto& at) { return at.first.first == action.job.value; });
  checkpoints_.forget(action.job);
  for (const auto& [host, link] : links_) end_job_at(host, action.job);
}

void Coordinator::perform(const Report& action) {
  options_.say(fmt::format("job {}: {}", action.job.value, action.text));
}

Checkpoints::Place Coordinator::place_of(JobId job) const {
  const wire::Launch& launch = launches_.at(job);
  return {launch.checkpoint_to(), launch.name(), launch.checkpoint_keep()};
}

void Coordinator::perform(const OpenTerm& action) {
  checkpoints_.open_term(action, place_of(action.job));
}

void Coordinator::perform(const CommitCheckpoint& action) {
  checkpoints_.commit(action, place_of(action.job));
}

void Coordinator::perform(const AskForSave& action) {
  wire::ToAgent message;
  message.mutable_ask_for_save()->set_job(action.job.value);
  send_to_members(core_.state().jobs.at(action.job), message);
}

void Coordinator::set_timer() {
  const auto next = core_.next_timer();
  core_timer_.cancel();
  if (next) core_timer_.start(*next - now(), [this] { take(TimerExpired{}); });
}

}  // namespace ringmaster::jobs

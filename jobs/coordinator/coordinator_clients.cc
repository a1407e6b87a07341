// SPDX-License-Identifier: Apache-2.0
//
// What people ask for: submit, cancel, reclaim, stop. Reading needs no coordinator (the journal).
#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <random>

#include "jobs/coordinator/coordinator.h"
#include "jobs/spec/job_file.h"

namespace ringmaster::jobs {

namespace {

/// An agent that is there sends the rest of what it holds in less.
constexpr Duration kOutputPatience = std::chrono::seconds(5);

wire::ToClient failed(const std::string& message, const std::string& hint = "") {
  wire::ToClient answer;
  answer.mutable_failed()->set_message(message);
  answer.mutable_failed()->set_hint(hint);
  return answer;
}

wire::ToClient done(JobId job, const std::string& text) {
  wire::ToClient answer;
  answer.mutable_done()->set_job(job.value);
  answer.mutable_done()->set_text(text);
  return answer;
}

/// What the ranks of a job prove to each other that they belong to it.
std::string make_secret() {
  std::random_device source;
  std::string secret;
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t word = source();
    secret.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return secret;
}

/// Writes into the launch and the core's spec what the file says of checkpoints.
void set_checkpoints(const std::optional<CheckpointPolicy>& policy, wire::Launch& launch,
                     JobSpec& spec) {
  if (!policy) return;
  if (const auto* steps = std::get_if<Steps>(&policy->every)) spec.save_every = steps->count;
  if (const auto* time = std::get_if<Duration>(&policy->every)) spec.save_period = *time;
  launch.set_checkpoint_to(policy->to);
  launch.set_checkpoint_every(spec.save_every);
  launch.set_checkpoint_period_ns(spec.save_period.count());
  launch.set_checkpoint_keep(policy->keep);
}

}  // namespace

void Coordinator::on_client(const std::string& peer, const wire::FromClient& message) {
  wire::ToClient answer;
  bool stops = false;
  switch (message.kind_case()) {
    case wire::FromClient::kSubmit:
      answer = submit(message.submit());
      break;
    case wire::FromClient::kCancel:
      answer = cancel(message.cancel());
      break;
    case wire::FromClient::kReclaim:
      answer = reclaim(message.reclaim());
      break;
    case wire::FromClient::kStop:
      stops = true;
      answer = done({}, "the coordinator ends");
      break;
    case wire::FromClient::kPing:
      answer = done({}, "here");
      break;
    case wire::FromClient::KIND_NOT_SET:
      answer = failed("a request that this coordinator does not know", "use its own ringmaster");
      break;
  }
  if (failed_) answer = failed("the coordinator cannot write its journal and ends");
  server_->send(peer, answer.SerializeAsString());
  if (stops) stop_when_output_is_here(now() + kOutputPatience);
}

wire::ToClient Coordinator::submit(const wire::FromClient::Submit& request) {
  auto file = parse_job_file(request.text(), request.file());
  if (!file) {
    wire::ToClient answer = failed(file.error().message());
    answer.mutable_failed()->set_line(file.error().place.line);
    answer.mutable_failed()->set_column(file.error().place.column);
    return answer;
  }
  JobEntry entry;
  entry.job = JobId{core_.state().last_job.value + 1};
  entry.name = file->spec.name;
  entry.file = request.file();
  entry.spec = request.text();
  entry.submitted = read_wall_seconds();
  wire::Launch& launch = entry.launch;
  launch.set_job(entry.job.value);
  launch.set_name(file->spec.name);
  launch.set_ranks(file->spec.ranks_max);
  for (const std::string& word : file->command) launch.add_command(word);
  for (const auto& [name, value] : file->environment) {
    launch.add_environment(fmt::format("{}={}", name, value));
  }
  launch.set_working_directory(request.working_directory());
  launch.set_log_folder(log_folder_of(options_.home, entry.job));
  launch.set_secret(make_secret());
  *launch.mutable_drills() = request.drills();
  JobSpec spec = file->spec;
  spec.hosts_max = file->hosts;
  spec.host_slots = file->slots;
  set_checkpoints(file->checkpoint, launch, spec);
  // Both would take turns at one line of checkpoints, and each stop the other.
  for (const auto& [job, other] : launches_) {
    const bool same = spec.saves() && other.name() == launch.name() &&
                      other.checkpoint_to() == launch.checkpoint_to();
    if (!same) continue;
    return failed(fmt::format("job {} of the name {} saves into {} already", job.value,
                              other.name(), other.checkpoint_to()),
                  "give it another name, or cancel the other one");
  }

  Core next = core_;  // a job that cannot be written down was never submitted
  const Decided decided = decide(next, now(), entry.submitted, JobSubmitted{entry.job, spec});
  if (auto written = journal_->append_job(entry, decided); !written) {
    return failed(fmt::format("job not accepted: {}", written.error().message));
  }
  core_ = std::move(next);
  launches_[entry.job] = launch;
  options_.say(fmt::format("job {} ({}) submitted", entry.job.value, entry.name));
  perform_all(decided.actions);
  set_timer();
  compact_if_due();
  return done(entry.job, entry.name);
}

wire::ToClient Coordinator::cancel(const wire::FromClient::Cancel& request) {
  const JobId id{request.job()};
  if (!launches_.contains(id)) {
    const auto entry = journal_->read_job(id);
    if (!entry) return failed(entry.error().message);
    if (!*entry) {
      return failed(fmt::format("there is no job {}", id.value), "ringmaster jobs lists them");
    }
    return failed(
        fmt::format("job {} has ended: {}", id.value, state_name((*entry)->record->state)));
  }
  take(StopRequested{id, "cancelled by its user", SIGTERM, 128 + SIGTERM, request.now()});
  return done(id, "cancelled");
}

wire::ToClient Coordinator::reclaim(const wire::FromClient::Reclaim& request) {
  for (const auto& [id, host] : core_.state().hosts) {
    if (host.name != request.host()) continue;
    if (!host.created) {
      return failed(
          fmt::format("host {} was not made by this coordinator: it can only be drained "
                      "by its owner",
                      host.name));
    }
    if (request.at_once()) {
      provider_.take_away(id);
      return done({}, fmt::format("host {} is taken away", host.name));
    }
    if (host.state != HostState::up) {
      return failed(fmt::format("host {} is {}", host.name, state_name(host.state)));
    }
    const std::string name = host.name;
    take(HostNotice{id, now() + Duration(request.notice_ns()), "reclaim drill"});
    arm_reclaims();
    return done({}, fmt::format("host {} has its notice", name));
  }
  return failed(fmt::format("there is no host {}", request.host()), "ringmaster hosts lists them");
}

}  // namespace ringmaster::jobs

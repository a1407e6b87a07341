// SPDX-License-Identifier: Apache-2.0
//
// Output of ranks on other machines: what their agents send, and who still owes some.
#include <algorithm>

#include "jobs/coordinator/coordinator.h"

namespace ringmaster::jobs {

namespace {

constexpr Duration kOutputLook = std::chrono::milliseconds(20);

}  // namespace

void Coordinator::on_output(HostId host, const wire::FromAgent::Output& message) {
  const auto piece = from_wire(message);
  if (!piece || failed_) return;
  const auto name = [&] { return core_.state().hosts.at(host).name; };
  if (launches_.contains(piece->job)) logs_.expect({piece->job, host}, name());
  const HostLogs::Taken taken = logs_.take(host, *piece);
  wire::ToAgent answer;
  answer.mutable_output_taken()->set_job(message.job());
  answer.mutable_output_taken()->set_offset(taken.offset);
  answer.mutable_output_taken()->set_complete(taken.complete);
  send(host, answer);
}

/// Decides for a rank that is about to start where its output goes.
void Coordinator::expect_output(const StartRank& action, wire::Launch& launch) {
  if (provider_.shares_files(action.host)) return;
  launch.clear_log_folder();
  logs_.expect({action.id.job, action.host}, core_.state().hosts.at(action.host).name);
}

void Coordinator::end_job_at(HostId host, JobId job) {
  wire::ToAgent message;
  message.mutable_end_job()->set_job(job.value);
  message.mutable_end_job()->set_output(logs_.is_incomplete({job, host}));
  send(host, message);
}

/// Whether an agent that is there has more of a job that has ended.
bool Coordinator::owes_output() const {
  const auto all = logs_.incomplete();
  return std::any_of(all.begin(), all.end(), [&](const HostLogs::Key& key) {
    return !launches_.contains(key.job) && links_.contains(key.host);
  });
}

void Coordinator::stop_when_output_is_here(Time latest) {
  const bool owes = owes_output();
  if (owes && now() > latest) options_.say("hosts hold more output: the next coordinator gets it");
  if (!owes || now() > latest) return options_.on_stop();
  stop_timer_.start(kOutputLook, [this, latest] { stop_when_output_is_here(latest); });
}

}  // namespace ringmaster::jobs

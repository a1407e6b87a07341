// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/job_on_host.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "base/cpus.h"
#include "jobs/wire/convert.h"
#include "launcher/host/log_file.h"
#include "launcher/host_facts.h"

namespace ringmaster::launcher {

namespace {

// Socket, pidfd, two pipes, eventfd, one for the start, memory of two saves.
constexpr std::uint64_t kFilesOfRank = 8;
constexpr std::uint64_t kAgentFiles = 128;
/// A night of progress lines fits; a rank that prints without end does not fill the disk.
constexpr std::int64_t kLogMax = 64 * 1024 * 1024, kLogLeast = 32 * 1024 * 1024;
constexpr std::int64_t kCopied = 1024 * 1024;  // at once

Plan plan_of(const wire::Launch& launch, const JobOnHost::Place& place) {
  Plan plan;
  plan.spec.name = launch.name();
  plan.spec.ranks_min = plan.spec.ranks_max = launch.ranks();
  plan.programs = {{.command = {launch.command().begin(), launch.command().end()},
                    .working_directory = launch.working_directory()}};
  plan.environment.assign(launch.environment().begin(), launch.environment().end());
  plan.host = place.host;
  plan.cpus = read_cpu_budget();
  plan.output.tags = true;
  plan.output.ranks = plan.spec.ranks_max;
  plan.open_files = kAgentFiles + kFilesOfRank * static_cast<std::uint64_t>(launch.ranks());
  plan.address = place.address + ":0";
  plan.secret = launch.secret();
  plan.master_address = launch.master_address();
  plan.master_port = launch.master_port();
  plan.save_every = launch.checkpoint_every();
  plan.save_period = Duration(launch.checkpoint_period_ns());
  return plan;
}

}  // namespace

void JobOnHost::trim_log() {
  // A file system that cannot do it keeps all: nothing is lost by that but room.
  if (outgoing_) static_cast<void>(drop_before(log_path_, outgoing_->first()));
  const auto first = trim_file(log_path_, kLogMax, kLogLeast);
  if (!outgoing_ || !first) return;
  outgoing_->grow(size_of(log_path_));
  outgoing_->drop(*first);
}

std::optional<wire::FromAgent::Output> JobOnHost::next_output() {
  if (!outgoing_) return std::nullopt;
  const bool ended = over() && agent_->idle();
  outgoing_->grow(size_of(log_path_));
  if (ended) outgoing_->close();
  const auto piece = outgoing_->next(jobs::kOutputPieceMax);
  if (!piece) return std::nullopt;
  wire::FromAgent::Output output;
  output.set_job(job_);
  output.set_offset(piece->offset);
  output.set_first(outgoing_->first());
  output.set_data(read_piece(log_path_, piece->offset, piece->size));
  output.set_last(piece->last);
  if (static_cast<std::int64_t>(output.data().size()) == piece->size) return output;
  outgoing_->rewind();  // the disk did not give it: at the next look
  return std::nullopt;
}

bool JobOnHost::output_taken(const wire::ToAgent::OutputTaken& answer) {
  return outgoing_ && outgoing_->take(answer.offset(), answer.complete());
}

Result<bool> JobOnHost::keep_output(const std::string& path) {
  if (!outgoing_ || outgoing_->complete()) return false;
  const std::int64_t end = size_of(log_path_);
  if (outgoing_->first() == end) return false;
  std::ofstream file(path, std::ios::binary);
  for (std::int64_t at = outgoing_->first(); at < end && file;) {
    const std::string piece = read_piece(log_path_, at, std::min(end - at, kCopied));
    if (piece.empty()) break;
    file << piece;
    at += static_cast<std::int64_t>(piece.size());
  }
  if (file.flush()) return true;
  return errno_error(errno, fmt::format("write {}", path));
}

void JobOnHost::end(Time now) {
  if (!over()) over_since_ = now;
  agent_->signal_all(SIGKILL);  // none is left, unless the coordinator has given us up
}

bool JobOnHost::cleared(Time now, Duration patience) const {
  if (!over() || !agent_->idle()) return false;
  return !outgoing_ || outgoing_->complete() || now - *over_since_ > patience;
}

std::vector<Drill> drills_of(const wire::Launch& launch) {
  std::vector<Drill> drills;
  for (const wire::Drill& drill : launch.drills()) {
    drills.push_back({static_cast<int>(drill.rank()), drill.steps(), Duration(drill.notice_ns())});
  }
  return drills;
}

Result<void> JobOnHost::open_log(boost::asio::io_context& loop, const std::string& folder,
                                 const Place& place) {
  const bool sends = folder.empty();
  auto file = sends ? make_unnamed(place.waiting_folder) : open_log_file(folder, place.host);
  if (!file) return file.error();
  log_path_ = sends ? path_of(*file) : log_path(folder, place.host);
  // A full disk loses output and must not end training; it is told once, in the agent's own log.
  auto log = Sink::open(loop, file->get(), log_path_, [](const Error& error) {
    fmt::print(stderr, "{}: output is lost\n", error.message);
  });
  if (!log) return log.error();
  log_.emplace(std::move(*log));
  if (!sends) return {};
  unnamed_ = std::move(*file);
  outgoing_.emplace();
  return {};
}

Result<std::unique_ptr<JobOnHost>> JobOnHost::create(boost::asio::io_context& loop,
                                                     const wire::Launch& launch, const Place& place,
                                                     Agent::OnEvent on_event) {
  std::unique_ptr<JobOnHost> job(new JobOnHost);
  job->plan_ = plan_of(launch, place);
  job->job_ = launch.job();
  auto opened = job->open_log(loop, launch.log_folder(), place);
  if (!opened) return opened.error();
  auto agent = Agent::create(loop, job->plan_, place.environment, {&*job->log_, &*job->log_, 0},
                             std::move(on_event));
  if (!agent) return agent.error();
  job->agent_ = std::move(*agent);
  if (!launch.checkpoint_to().empty()) {
    job->saver_.emplace(loop, *place.pool, launch.checkpoint_to(), launch.name());
    job->agent_->set_saver(&*job->saver_);
  }
  return job;
}

}  // namespace ringmaster::launcher

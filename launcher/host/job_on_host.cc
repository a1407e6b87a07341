// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/job_on_host.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <filesystem>

#include "base/cpus.h"
#include "launcher/host_facts.h"

namespace ringmaster::launcher {

namespace {

// Socket, pidfd, two pipes, eventfd, one for the start, memory of two saves.
constexpr std::uint64_t kFilesPerRank = 8;
constexpr std::uint64_t kFilesOwn = 128;
/// A night of progress lines fits; a rank that prints without end does not fill the disk.
constexpr std::int64_t kLogMax = 64 * 1024 * 1024, kLogLeast = 32 * 1024 * 1024;
constexpr std::int64_t kBlock = 4096;  // holes are made of whole blocks

Plan plan_of(const wire::Launch& launch, const JobOnHost::Place& place) {
  Plan plan;
  plan.spec.name = launch.name();
  plan.spec.ranks_min = plan.spec.ranks_max = launch.ranks();
  plan.command.assign(launch.command().begin(), launch.command().end());
  plan.environment.assign(launch.environment().begin(), launch.environment().end());
  plan.working_directory = launch.working_directory();
  plan.host = place.host;
  plan.cpus = read_cpu_budget();
  plan.tag_output = true;
  plan.open_files = kFilesOwn + kFilesPerRank * static_cast<std::uint64_t>(launch.ranks());
  plan.address = place.address + ":0";
  plan.secret = launch.secret();
  plan.master_port = launch.master_port();
  plan.save_every = launch.checkpoint_every();
  plan.save_period = Duration(launch.checkpoint_period_ns());
  return plan;
}

}  // namespace

std::string log_path(const std::string& folder, const std::string& host) {
  return fmt::format("{}/{}.log", folder, host);
}

Result<void> trim_file(const std::string& path, std::int64_t most, std::int64_t least) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return errno_error(errno, path);
  // Bytes on disk: what was given back before does not count.
  if (info.st_blocks * 512 <= most) return {};
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno_error(errno, path);
  const std::int64_t end = (info.st_size - least) / kBlock * kBlock;
  // A hole, not a new file: readers and the writer keep their offsets.
  if (::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end) != 0) {
    return errno_error(errno, fmt::format("drop the oldest part of {}", path));
  }
  return {};
}

void JobOnHost::trim_log() const {
  // A file system that cannot do it keeps all: nothing is lost by that but room.
  static_cast<void>(trim_file(log_path_, kLogMax, kLogLeast));
}

std::vector<Drill> drills_of(const wire::Launch& launch) {
  std::vector<Drill> drills;
  for (const wire::Drill& drill : launch.drills()) {
    drills.push_back({static_cast<int>(drill.rank()), drill.steps(), Duration(drill.notice_ns())});
  }
  return drills;
}

Result<std::unique_ptr<JobOnHost>> JobOnHost::create(boost::asio::io_context& loop,
                                                     const wire::Launch& launch, const Place& place,
                                                     Agent::OnEvent on_event) {
  std::unique_ptr<JobOnHost> job(new JobOnHost);
  job->plan_ = plan_of(launch, place);
  const std::string folder = launch.log_folder().empty() ? place.log_folder : launch.log_folder();
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const std::string path = log_path(folder, place.host);
  job->log_path_ = path;
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_error(errno, path);
  // A full disk loses output and must not end training; it is told once, in the agent's own log.
  auto log = Sink::open(loop, file.get(), path, [](const Error& error) {
    fmt::print(stderr, "{}: output is lost\n", error.message);
  });
  if (!log) return log.error();
  job->log_.emplace(std::move(*log));
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

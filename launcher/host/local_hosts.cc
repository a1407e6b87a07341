// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/local_hosts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <list>

#include "launcher/process/pidfd.h"
#include "launcher/process/program.h"
#include "net/timer.h"

namespace ringmaster::launcher {

namespace {

using boost::system::error_code;
using Descriptor = boost::asio::posix::stream_descriptor;

constexpr Duration kLook = std::chrono::milliseconds(10);
constexpr Duration kLockLook = std::chrono::milliseconds(1);  // survivors wait
/// How long an agent may take to end its ranks before it is killed.
constexpr Duration kPolite = std::chrono::seconds(5);

/// The pids in a lock file's text: the guard's and the agent's.
std::vector<pid_t> pids_in(const std::string& text) {
  std::vector<pid_t> pids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    const auto [next, code] = std::from_chars(at, end, pid);
    if (code == std::errc() && pid > 1) pids.push_back(pid);
    at = code == std::errc() ? next : at + 1;
  }
  return pids;
}

/// Ranks listen where the coordinator does: hosts of other machines reach both, or neither.
std::string address_in(const std::string& endpoint) {
  const std::size_t begin = endpoint.rfind('/') + 1;
  return endpoint.substr(begin, endpoint.rfind(':') - begin);
}

}  // namespace

struct LocalHosts::Ending {
  explicit Ending(boost::asio::io_context& loop) : timer(loop) {}
  net::Timer timer;
  Time kill_at;
};

/// Pidfds of a host's processes; one that is readable says: wait until the lock is free.
struct LocalHosts::Watched {
  explicit Watched(boost::asio::io_context& loop) : timer(loop) {}
  std::list<Descriptor> processes;
  bool joined = false;  // it has said hello
  net::Timer timer;
};

LocalHosts::LocalHosts(boost::asio::io_context& loop, StateHome home, Duration abandon_after)
    : loop_(loop), home_(std::move(home)), abandon_after_(abandon_after) {
  ::signal(SIGCHLD, SIG_IGN);  // agents are nobody's children: none of them becomes a zombie
}

LocalHosts::~LocalHosts() = default;

std::string LocalHosts::folder_of(jobs::HostId host) const {
  return fmt::format("{}/hosts/{}", home_.path(), host.value);
}

void LocalHosts::create(const jobs::CreateHost& host) {
  if (is_locked(lock_of(host.host))) {  // it is there, and will say hello, or die before
    std::vector<std::int64_t> pids;
    for (const pid_t pid : pids_in(read_small_file(lock_of(host.host)))) pids.push_back(pid);
    watch_processes(host.host, pids, false);
    return;
  }
  // From the loop: an answer never comes from within the call.
  boost::asio::post(loop_, [this, host] {
    auto started = start_agent(host);
    if (!started) answers_.create_failed(host.host, started.error().message);
  });
}

Result<void> LocalHosts::start_agent(const jobs::CreateHost& host) {
  const std::string folder = folder_of(host.host);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return errno_error(errno, folder);
  const auto self = this_program();
  if (!self) return self.error();
  std::vector<std::string> words = {*self,
                                    "agent",
                                    "--id",
                                    fmt::format("{}", host.host.value),
                                    "--name",
                                    host.name,
                                    "--slots",
                                    fmt::format("{}", host.slots),
                                    "--lock",
                                    lock_of(host.host),
                                    "--join",
                                    endpoint_,
                                    "--key",
                                    home_.file("client.key"),
                                    "--address",
                                    address_in(endpoint_),
                                    "--abandon-after",
                                    fmt::format("{}", to_seconds(abandon_after_))};
  const auto pid = start_detached(std::move(words), folder + "/agent.log");
  if (!pid) return pid.error();
  watch_processes(host.host, {*pid}, false);
  return {};
}

void LocalHosts::release(jobs::HostId host) {
  if (ending_.contains(host)) return;
  watched_.erase(host);
  auto ending = std::make_unique<Ending>(loop_);
  ending->kill_at = read_clock() + kPolite;
  ending_[host] = std::move(ending);
  for (const pid_t pid : pids_in(read_small_file(lock_of(host)))) {
    if (is_locked(lock_of(host))) ::kill(pid, SIGTERM);
  }
  boost::asio::post(loop_, [this, host] { look_at_ending(host); });
}

void LocalHosts::look_at_ending(jobs::HostId host) {
  Ending& ending = *ending_.at(host);
  if (!is_locked(lock_of(host))) {
    std::error_code ignored;  // a log that stays is no host
    std::filesystem::remove_all(folder_of(host), ignored);
    ending_.erase(host);
    answers_.released(host);
    return;
  }
  if (read_clock() > ending.kill_at) kill_all_of(host);
  ending.timer.start(kLook, [this, host] { look_at_ending(host); });
}

void LocalHosts::kill_all_of(jobs::HostId host) {
  if (!is_locked(lock_of(host))) return;
  for (const pid_t pid : pids_in(read_small_file(lock_of(host)))) ::kill(pid, SIGKILL);
}

void LocalHosts::find_again(jobs::HostId host) {
  // One that died while nobody looked; the others say hello, or are silent for too long.
  if (is_locked(lock_of(host))) return;
  boost::asio::post(loop_, [this, host] { answers_.lost(host, "its processes are gone"); });
}

bool LocalHosts::shares_files(jobs::HostId host) const {
  std::error_code ignored;
  return std::filesystem::exists(folder_of(host), ignored);
}

void LocalHosts::watch(jobs::HostId host, const jobs::HostProcesses& processes) {
  if (!shares_files(host)) return;  // it is on another machine
  watch_processes(host, {processes.agent, processes.guard}, true);
}

void LocalHosts::watch_processes(jobs::HostId host, const std::vector<std::int64_t>& pids,
                                 bool joined) {
  auto watched = std::make_unique<Watched>(loop_);
  watched->joined = joined;
  bool gone = false;
  for (const std::int64_t pid : pids) {
    FileDescriptor pidfd = open_pidfd(static_cast<pid_t>(pid));
    if (pidfd.valid()) {
      watched->processes.emplace_back(loop_).assign(pidfd.release());
    } else {
      gone = true;
    }
  }
  watched_[host] = std::move(watched);
  if (gone || pids.empty()) return wait_for_lock(host);
  wait_for_death(host);
}

void LocalHosts::wait_for_death(jobs::HostId host) {
  Watched& watched = *watched_.at(host);
  for (Descriptor& process : watched.processes) {
    process.async_wait(Descriptor::wait_read, [this, host](const error_code& code) {
      if (!code && watched_.contains(host)) wait_for_lock(host);
    });
  }
}

void LocalHosts::wait_for_lock(jobs::HostId host) {
  // The other of the two clears up what the first one left; the lock tells when it is done.
  if (!is_locked(lock_of(host))) {
    const bool joined = watched_.at(host)->joined;
    watched_.erase(host);
    // From the loop: an answer never comes from within a call.
    boost::asio::post(loop_, [this, host, joined] {
      if (joined) answers_.lost(host, "its agent died");
      if (!joined) answers_.create_failed(host, "its agent died before it joined");
    });
    return;
  }
  Watched& watched = *watched_.at(host);
  watched.timer.start(kLockLook, [this, host] { wait_for_lock(host); });
}

void LocalHosts::take_away(jobs::HostId host) {
  kill_all_of(host);
}

}  // namespace ringmaster::launcher

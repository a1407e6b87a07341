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

#include "launcher/commands/program.h"
#include "launcher/process/pidfd.h"
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

/// Pidfds of a host's processes; the host is gone when both are readable and its lock is free.
struct LocalHosts::Watched {
  explicit Watched(boost::asio::io_context& loop) : agent(loop), guard(loop), timer(loop) {}
  Descriptor agent, guard;
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
  if (is_locked(lock_of(host.host))) return;  // it is there, and will say hello
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
  return start_detached(std::move(words), folder + "/agent.log");
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

void LocalHosts::watch(jobs::HostId host, const jobs::HostProcesses& processes) {
  if (!is_locked(lock_of(host))) return;  // it is on another machine
  auto watched = std::make_unique<Watched>(loop_);
  FileDescriptor agent = open_pidfd(static_cast<pid_t>(processes.agent));
  FileDescriptor guard = open_pidfd(static_cast<pid_t>(processes.guard));
  if (agent.valid()) watched->agent.assign(agent.release());
  if (guard.valid()) watched->guard.assign(guard.release());
  watched_[host] = std::move(watched);
  wait_for_death(host);
}

void LocalHosts::wait_for_death(jobs::HostId host) {
  Watched& watched = *watched_.at(host);
  for (Descriptor* descriptor : {&watched.agent, &watched.guard}) {
    if (!descriptor->is_open()) continue;
    descriptor->async_wait(Descriptor::wait_read, [this, host](const error_code& code) {
      if (!code && watched_.contains(host)) wait_for_lock(host);
    });
  }
}

void LocalHosts::wait_for_lock(jobs::HostId host) {
  // The other of the two clears up what the first one left; the lock tells when it is done.
  if (!is_locked(lock_of(host))) {
    watched_.erase(host);
    answers_.lost(host, "its agent died");
    return;
  }
  Watched& watched = *watched_.at(host);
  watched.timer.start(kLockLook, [this, host] { wait_for_lock(host); });
}

void LocalHosts::take_away(jobs::HostId host) {
  kill_all_of(host);
}

}  // namespace ringmaster::launcher

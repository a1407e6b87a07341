// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/host_agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <map>

#include "launcher/host/job_on_host.h"
#include "launcher/host/outbox.h"
#include "launcher/host/output_pusher.h"
#include "launcher/master_port.h"
#include "launcher/process/descendants.h"
#include "launcher/process/guard.h"
#include "launcher/process/program.h"
#include "launcher/rank_environment.h"
#include "net/client.h"

namespace ringmaster::launcher {

namespace {

using boost::system::error_code;

constexpr Duration kBeat = std::chrono::milliseconds(500);
/// Unanswered for so long: the coordinator is another one, and wants a hello.
constexpr Duration kUnanswered = std::chrono::seconds(2);
constexpr int kAbandonedExitCode = 3;
/// Shards that wait to be written: as many as the ranks of a large host can have on their way. The
/// memory is bounded by the ranks, each of which has two copies at most.
constexpr std::size_t kSavesWaitingMax = 1024;

/// No more jobs than slots have their rank 0 here; above this number each gets one of its own.
constexpr int kPortsMax = 256;

std::vector<MasterPort> hold_ports(int slots) {
  std::vector<MasterPort> ports;
  for (int i = 0; i < std::min(slots, kPortsMax); ++i) {
    auto port = MasterPort::bind();
    if (!port) break;  // as if there were more jobs than ports
    ports.push_back(std::move(*port));
  }
  return ports;
}

/// Without the brackets that an endpoint has around a number of IPv6.
std::string plain_address(const std::string& address) {
  if (address.size() < 2 || address.front() != '[' || address.back() != ']') return address;
  return address.substr(1, address.size() - 2);
}

class HostAgent {
 public:
  explicit HostAgent(const HostAgentSettings& settings)
      : settings_(settings),
        signals_(loop_, SIGINT, SIGTERM),
        beat_(loop_),
        guard_(loop_),
        host_(settings.host),
        heard_(read_clock()),
        ports_(hold_ports(settings.slots)) {}

  int run();

 private:
  void on_message(std::string_view bytes);
  void on_welcome(const wire::ToAgent::Welcome& welcome);
  void on_start(const wire::ToAgent::StartRank& start);
  void on_end(const wire::ToAgent::EndJob& order);
  void beat();
  void watch_guard();
  void say_hello();
  void send(const wire::FromAgent& message);
  void send_event(const wire::NumberedEvent& event);
  void report(const jobs::Event& event);
  JobOnHost* find(std::int64_t job);
  void end(int code, const std::string& why);

  const HostAgentSettings& settings_;
  boost::asio::io_context loop_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer beat_;
  boost::asio::posix::stream_descriptor guard_;
  std::unique_ptr<net::Client> client_;
  Outbox outbox_;
  std::map<std::int64_t, std::unique_ptr<JobOnHost>> jobs_;
  std::int64_t host_;
  Time heard_;
  std::vector<MasterPort> ports_;  // for ranks 0 of jobs
  std::optional<int> exit_code_;
  OutputPusher output_{loop_, jobs_,
                       [this](wire::FromAgent::Output output) {
                         wire::FromAgent message;
                         *message.mutable_output() = std::move(output);
                         send(message);
                       },
                       [this] { return read_clock() - heard_ < kUnanswered; }};
  Pool pool_{kSavesWaitingMax};  // the last: it ends first
};

void HostAgent::send(const wire::FromAgent& message) {
  wire::Hail hail;
  *hail.mutable_agent() = message;
  // When the queue is full nobody has listened for long; all is said again after a hello.
  static_cast<void>(client_->send(hail.SerializeAsString()));
}

void HostAgent::say_hello() {
  wire::FromAgent message;
  auto* hello = message.mutable_hello();
  hello->set_host(host_);
  hello->set_name(settings_.name);
  hello->set_slots(settings_.slots);
  hello->set_agent_pid(getpid());
  hello->set_guard_pid(guard_pid());
  hello->set_oldest_event(outbox_.oldest());
  hello->set_address(plain_address(settings_.address));
  for (const MasterPort& port : ports_) hello->add_ports(port.number());
  send(message);
}

void HostAgent::send_event(const wire::NumberedEvent& event) {
  wire::FromAgent message;
  *message.mutable_event() = event;
  send(message);
}

void HostAgent::report(const jobs::Event& event) {
  if (!outbox_.add(event)) return end(1, "too much to report and nobody listens");
  send_event(outbox_.waiting().back());
}

/// Programs that came with this one are found by their names, after the user's own.
std::vector<std::string> environment_of_ranks() {
  std::vector<std::string> environment = rank_environment();
  const auto self = this_program();
  if (!self) return environment;
  const std::string folder = self->substr(0, self->rfind('/'));
  for (std::string& variable : environment) {
    if (variable.starts_with("PATH=")) variable += ":" + folder;
  }
  return environment;
}

JobOnHost* HostAgent::find(std::int64_t job) {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : found->second.get();
}

void HostAgent::on_message(std::string_view bytes) {
  wire::ToAgent message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  heard_ = read_clock();
  switch (message.kind_case()) {
    case wire::ToAgent::kWelcome:
      return on_welcome(message.welcome());
    case wire::ToAgent::kDismissed:
      return end(0, fmt::format("dismissed: {}", message.dismissed().why()));
    case wire::ToAgent::kAcknowledge:
      return outbox_.acknowledge(message.acknowledge().number());
    case wire::ToAgent::kStartRank:
      return on_start(message.start_rank());
    case wire::ToAgent::kSignalRank: {
      const auto& order = message.signal_rank();
      const jobs::RankId id = jobs::from_wire(order.id());
      JobOnHost* job = find(id.job.value);
      if (job != nullptr) return job->agent().perform(jobs::SignalRank{id, order.signal(), ""});
      // Nothing of the job was ever started here.
      return report(jobs::RankExited{id, {0, order.signal()}, jobs::kNoState});
    }
    case wire::ToAgent::kAbortGeneration: {
      const auto& order = message.abort_generation();
      JobOnHost* job = find(order.job());
      if (job == nullptr) return;
      return job->agent().perform(jobs::AbortGeneration{jobs::JobId{order.job()},
                                                        jobs::Generation{order.generation()}, ""});
    }
    case wire::ToAgent::kFormGeneration: {
      const auto& order = message.form_generation();
      JobOnHost* job = find(order.job());
      if (job == nullptr) return;
      return job->agent().perform(
          jobs::FormGeneration{jobs::JobId{order.job()}, jobs::table_of(order, read_clock())});
    }
    case wire::ToAgent::kAskForSave: {
      const jobs::JobId id{message.ask_for_save().job()};
      if (JobOnHost* job = find(id.value)) job->agent().perform(jobs::AskForSave{id, ""});
      return;
    }
    case wire::ToAgent::kEndJob:
      return on_end(message.end_job());
    case wire::ToAgent::kOutputTaken:
      return output_.on_taken(message.output_taken());
    case wire::ToAgent::kWho:
      return say_hello();
    case wire::ToAgent::kHeartbeat:
    case wire::ToAgent::KIND_NOT_SET:
      return;
  }
}

void HostAgent::on_welcome(const wire::ToAgent::Welcome& welcome) {
  host_ = welcome.host();
  outbox_.acknowledge(welcome.acknowledged());
  for (const wire::NumberedEvent& event : outbox_.waiting()) send_event(event);
  for (const auto& [id, job] : jobs_) {
    const auto& going_on = welcome.jobs();
    const bool goes_on = std::find(going_on.begin(), going_on.end(), id) != going_on.end();
    if (!goes_on) job->end(read_clock());
  }
  output_.on_welcome();
}

void HostAgent::on_start(const wire::ToAgent::StartRank& start) {
  const jobs::RankId id = jobs::from_wire(start.id());
  std::unique_ptr<JobOnHost>& job = jobs_[id.job.value];
  if (job == nullptr) {
    auto created = JobOnHost::create(loop_, start.launch(),
                                     {settings_.name, settings_.address, settings_.waiting_folder,
                                      environment_of_ranks(), &pool_},
                                     [this](const jobs::Event& event) { report(event); });
    if (!created) {
      jobs_.erase(id.job.value);
      return report(jobs::RankStartFailed{id, 126, created.error().message});
    }
    job = std::move(*created);
    job->agent().set_on_notice([this](Duration notice) {
      report(jobs::HostNotice{jobs::HostId{host_}, Time(notice), "reclaim drill"});
    });
    job->agent().set_keep([this] {
      std::vector<pid_t> all;
      for (const auto& [number, other] : jobs_) {
        const auto pids = other->agent().pids();
        all.insert(all.end(), pids.begin(), pids.end());
      }
      return all;
    });
  }
  const int rank = static_cast<int>(id.rank.value);
  if (rank < 0 || rank >= start.launch().ranks()) return;
  job->agent().set_local_rank(rank, start.local_rank(), start.local_size());
  job->agent().add_drills(drills_of(start.launch()));
  job->agent().perform(jobs::StartRank{id, jobs::HostId{host_}, "", start.attempt()});
}

void HostAgent::on_end(const wire::ToAgent::EndJob& order) {
  JobOnHost* job = find(order.job());
  if (job != nullptr) return job->end(read_clock());
  if (!order.output()) return;
  wire::FromAgent message;  // its start failed here: there never was any
  message.mutable_output()->set_job(order.job());
  message.mutable_output()->set_last(true);
  send(message);
}

void HostAgent::beat() {
  const Time now = read_clock();
  if (now - heard_ > settings_.abandon_after) {
    const std::string& folder = settings_.waiting_folder;
    // Nobody will ask for it again.
    if (!folder.empty()) fmt::print(stderr, "{}", output_.keep(folder));
    return end(kAbandonedExitCode, "no coordinator for too long");
  }
  if (now - heard_ > kUnanswered) say_hello();
  wire::FromAgent message;
  auto* heartbeat = message.mutable_heartbeat();
  for (const auto& [id, job] : jobs_) {
    job->trim_log();
    for (const auto& [rank, steps] : job->agent().progress()) {
      auto* progress = heartbeat->add_progress();
      progress->set_job(id);
      progress->set_rank(rank);
      progress->set_steps(steps);
    }
  }
  send(message);
  std::erase_if(jobs_,
                [&](const auto& at) { return at.second->cleared(now, settings_.abandon_after); });
  beat_.expires_after(kBeat);
  beat_.async_wait([this](const error_code& code) {
    if (!code) beat();
  });
}

void HostAgent::watch_guard() {
  if (guard_fd() < 0) return;
  guard_.assign(guard_fd());
  guard_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const error_code& code) {
                      if (!code) end(1, "the guard was killed");
                    });
}

void HostAgent::end(int code, const std::string& why) {
  if (!exit_code_) fmt::print(stderr, "agent {}: {}\n", settings_.name, why);
  exit_code_ = code;
  loop_.stop();
}

int HostAgent::run() {
  auto client = net::Client::connect(loop_, settings_.endpoint, settings_.credentials.server_key,
                                     settings_.credentials.keys,
                                     [this](std::string_view bytes) { on_message(bytes); });
  if (!client) {
    fmt::print(stderr, "agent {}: {}\n", settings_.name, client.error().message);
    return 1;
  }
  client_ = std::move(*client);
  signals_.async_wait([this](const error_code& code, int number) {
    if (!code) end(128 + number, fmt::format("ended by signal {}", number));
  });
  watch_guard();
  say_hello();
  beat();
  output_.start();
  while (!exit_code_) loop_.run_one();
  // Ranks do not outlive their agent. What cannot be killed now is the guard's.
  const auto cleared = kill_all_children();
  if (!cleared) fmt::print(stderr, "agent {}: {}\n", settings_.name, cleared.error().message);
  return *exit_code_;
}

}  // namespace

int run_host_agent(const HostAgentSettings& settings) {
  HostAgent agent(settings);
  return agent.run();
}

}  // namespace ringmaster::launcher

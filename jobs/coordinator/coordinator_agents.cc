// SPDX-License-Identifier: Apache-2.0
//
// What agents say, and how they are spoken to.
#include <fmt/format.h>

#include <set>

#include "jobs/coordinator/coordinator.h"
#include "jobs/core/job_of.h"
#include "jobs/core/outstanding.h"
#include "jobs/wire/convert.h"

namespace ringmaster::jobs {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(500);
constexpr int kSlotsMax = 4096;
constexpr std::size_t kAddressMax = 255;  // of a name in DNS

/// Events that an agent may report: of its ranks, and what its provider announces to it.
bool may_say(const State& state, HostId host, const Event& event) {
  const auto runs_here = [&](const RankId& id) {
    const auto job = state.jobs.find(id.job);
    if (job == state.jobs.end() || id.rank.value < 0) return false;
    const auto number = static_cast<std::size_t>(id.rank.value);
    return number < job->second.ranks.size() && job->second.ranks[number].host == host;
  };
  if (const auto* at = std::get_if<RankStarted>(&event)) return runs_here(at->id);
  if (const auto* at = std::get_if<RankStartFailed>(&event)) return runs_here(at->id);
  if (const auto* at = std::get_if<RankReady>(&event)) return runs_here(at->id);
  if (const auto* at = std::get_if<RankSynced>(&event)) return runs_here(at->id);
  if (const auto* at = std::get_if<RankFinished>(&event)) return runs_here(at->id);
  if (const auto* at = std::get_if<RankFailed>(&event)) return runs_here(at->id);
  if (const auto* at = std::get_if<RankExited>(&event)) return runs_here(at->id);
  // Its rank may be gone, and its place taken, by the time that a shard is written.
  const auto is_rank = [&](const RankId& id) { return state.jobs.contains(id.job); };
  if (const auto* at = std::get_if<ShardWritten>(&event)) return is_rank(at->id);
  if (const auto* at = std::get_if<ShardFailed>(&event)) return is_rank(at->id);
  if (const auto* at = std::get_if<HostNotice>(&event)) return at->host == host;
  return false;
}

}  // namespace

void Coordinator::on_agent(const std::string& peer, const wire::FromAgent& message) {
  if (message.has_hello()) return on_hello(peer, message.hello());
  const auto known = hosts_by_peer_.find(peer);
  if (known == hosts_by_peer_.end()) return ask_who(peer);  // it knows an earlier coordinator
  const HostId host = known->second;
  const auto link = links_.find(host);
  if (link == links_.end() || link->second.peer != peer) {
    return dismiss(peer, "this host was given up");
  }
  link->second.heard = now();
  if (message.has_event()) return on_numbered(host, message.event());
  if (message.has_output()) return on_output(host, message.output());
  if (!message.has_heartbeat()) return;
  wire::ToAgent answer;
  answer.mutable_heartbeat();
  send(host, answer);
  for (const auto& at : message.heartbeat().progress()) {
    if (!launches_.contains(JobId{at.job()})) {
      end_job_at(host, JobId{at.job()});
    } else {
      progress_[{at.job(), at.rank()}] = at.steps();
    }
  }
}

void Coordinator::on_hello(const std::string& peer, const wire::Hello& hello) {
  const bool is_new = hello.host() == 0;
  const HostId id{is_new ? core_.state().last_host.value + 1 : hello.host()};
  const auto known = core_.state().hosts.find(id);
  const bool given_up =
      known == core_.state().hosts.end() ? !is_new : known->second.state == HostState::releasing;
  if (given_up) return dismiss(peer, "this host was given up");
  if (hello.slots() < 1 || hello.slots() > kSlotsMax) {
    return dismiss(peer, fmt::format("{} slots", hello.slots()));
  }
  if (hello.address().size() > kAddressMax || hello.address().find('\0') != std::string::npos) {
    return dismiss(peer, "an address that cannot be");
  }
  // Acknowledged events that the journal does not hold: it is older than the agent's memory.
  if (hello.oldest_event() > taken_[id] + 1) {
    return dismiss(peer, "this coordinator does not remember what the agent reported");
  }
  links_[id] = {peer, now()};
  hosts_by_peer_[peer] = id;
  wire::ToAgent welcome;
  welcome.mutable_welcome()->set_host(id.value);
  welcome.mutable_welcome()->set_acknowledged(taken_[id]);
  for (const auto& [job, launch] : launches_) welcome.mutable_welcome()->add_jobs(job.value);
  send(id, welcome);
  provider_.watch(id, {hello.agent_pid(), hello.guard_pid()});
  if (known == core_.state().hosts.end() || known->second.state == HostState::creating) {
    options_.say(fmt::format("host {} joined with {} slots", hello.name(), hello.slots()));
    HostJoined joined{id, hello.name(), hello.slots(), hello.address(), {}};
    for (const int port : hello.ports()) {
      const bool wanted = static_cast<int>(joined.ports.size()) < hello.slots();
      if (wanted && port > 0 && port <= 65535) joined.ports.push_back(port);
    }
    take(joined);
  }
  perform_all(outstanding_ranks(core_.state(), id));
  for (const HostLogs::Key& key : logs_.incomplete()) {
    if (key.host == id && !launches_.contains(key.job)) end_job_at(id, key.job);
  }
}

void Coordinator::on_numbered(HostId host, const wire::NumberedEvent& message) {
  std::int64_t& taken = taken_[host];
  if (message.number() > taken + 1) return ask_who(links_[host].peer);  // one was lost on the way
  if (message.number() == taken + 1) {
    auto event = from_wire(message.event());
    if (auto* notice = event ? std::get_if<HostNotice>(&*event) : nullptr; notice != nullptr) {
      // It says how long from now: its clock is not ours.
      notice->deadline = now() + notice->deadline.time_since_epoch();
    }
    if (event && may_say(core_.state(), host, *event)) {
      take(*event, Source{host, message.number()});
      if (std::holds_alternative<HostNotice>(*event)) arm_reclaims();
    } else {
      // It is answered, and changes nothing. The next coordinator must know that, too: the agent
      // will not say it again.
      taken = message.number();
      if (auto noted = journal_->note_source({host, taken}); !noted) fail(noted.error());
      const JobId job = event ? job_of(*event) : JobId{};
      if (job != JobId{} && !launches_.contains(job)) end_job_at(host, job);
    }
  }
  if (failed_) return;
  wire::ToAgent answer;
  answer.mutable_acknowledge()->set_number(taken_[host]);
  send(host, answer);
}

void Coordinator::send(HostId host, const wire::ToAgent& message) {
  const auto link = links_.find(host);
  if (link == links_.end() || link->second.peer.empty()) return;  // it says hello first
  server_->send(link->second.peer, message.SerializeAsString());
}

void Coordinator::send_to_members(const Job& job, const wire::ToAgent& message) {
  std::set<HostId> hosts;
  for (const Member& member : job.table.members) hosts.insert(member.host);
  for (const HostId host : hosts) send(host, message);
}

void Coordinator::ask_who(const std::string& peer) {
  wire::ToAgent message;
  message.mutable_who();
  server_->send(peer, message.SerializeAsString());
}

void Coordinator::dismiss(const std::string& peer, const std::string& why) {
  wire::ToAgent message;
  message.mutable_dismissed()->set_why(why);
  server_->send(peer, message.SerializeAsString());
  hosts_by_peer_.erase(peer);
}

void Coordinator::look_for_silent_hosts() {
  if (failed_) return;
  std::vector<HostId> silent;
  for (const auto& [id, link] : links_) {
    if (now() - link.heard > options_.host_lease) silent.push_back(id);
  }
  for (const HostId id : silent) {
    const std::string peer = links_[id].peer;
    links_.erase(id);
    take(HostLost{id, fmt::format("silent for {:.0f} s", to_seconds(options_.host_lease))});
    logs_.lose(id);
    if (!peer.empty()) dismiss(peer, "this host was silent for too long");
  }
  if (!failed_) write_progress();
  silence_timer_.start(kLook, [this] { look_for_silent_hosts(); });
}

void Coordinator::write_progress() {
  if (progress_.empty()) return;
  std::vector<wire::Progress> all;
  for (const auto& [at, steps] : progress_) {
    all.emplace_back();
    all.back().set_job(at.first);
    all.back().set_rank(at.second);
    all.back().set_steps(steps);
  }
  progress_.clear();
  if (auto written = journal_->write_progress(all, read_wall_seconds()); !written) {
    fail(written.error());
  }
}

void Coordinator::arm_reclaims() {
  for (const auto& [id, host] : core_.state().hosts) {
    if (host.state != HostState::draining || reclaims_.contains(id) || !host.created) continue;
    auto timer = std::make_unique<net::Timer>(loop_);
    timer->start(host.deadline - now(), [this, host_id = id] { provider_.take_away(host_id); });
    reclaims_[id] = std::move(timer);
  }
}

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/core_shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/check.h"

namespace ringmaster::fuzz {

using jobs::HostId;
using jobs::JobId;

void CoreShell::join_host(int slots) {
  const HostId id{core_.state().last_host.value + 1};
  hosts_[id] = slots;
  step(jobs::HostJoined{id, fmt::format("h{}", id.value), slots, "h", {7001, 7002}});
}

void CoreShell::lose_host(HostId host) {
  hosts_.erase(host);
  for (Process& process : processes_) {
    if (process.host == host) process.life = Process::Life::over;
  }
  step(jobs::HostLost{host, "lease"});
}

void CoreShell::notice(HostId host, Duration window) {
  step(jobs::HostNotice{host, now_ + window, "reclaim"});
}

bool CoreShell::answer_create(bool made) {
  if (creating_.empty()) return false;
  const auto [id, slots] = *creating_.begin();
  creating_.erase(creating_.begin());
  if (made) {
    hosts_[id] = slots;
    step(jobs::HostJoined{id, fmt::format("h{}", id.value), slots, "h", {7001, 7002}});
  } else {
    step(jobs::HostCreateFailed{id, "no capacity"});
  }
  return true;
}

bool CoreShell::answer_release() {
  if (releasing_.empty()) return false;
  const HostId id = *releasing_.begin();
  releasing_.erase(releasing_.begin());
  step(jobs::HostReleased{id});
  return true;
}

void CoreShell::submit(const jobs::JobSpec& spec) {
  const JobId id{state().last_job.value + 1};
  step(jobs::JobSubmitted{id, spec});
}

void CoreShell::stop(JobId job, int signal, bool now) {
  step(jobs::StopRequested{job, "asked", signal, 1, now});
}

void CoreShell::started(Process& process) {
  if (process.life == Process::Life::ordered) process.life = Process::Life::running;
  step(jobs::RankStarted{process.id});
}

void CoreShell::start_failed(Process& process) {
  CHECK(process.life != Process::Life::running);
  process.life = Process::Life::over;
  step(jobs::RankStartFailed{process.id, 127, "no such program"});
}

void CoreShell::ready(Process& process, std::int64_t steps) {
  process.ready = true;
  const jobs::Generation left = process.inside;
  process.inside = {};
  process.aborted = false;
  process.steps = steps;
  step(jobs::RankReady{process.id, steps, left});
}

void CoreShell::synced(Process& process, jobs::Generation generation, std::int64_t steps) {
  if (process.inside == generation) process.steps = steps;
  step(jobs::RankSynced{process.id, generation, steps, process.id.rank});
}

void CoreShell::finished(Process& process, jobs::Generation generation) {
  if (process.inside == generation) process.finished = true;
  step(jobs::RankFinished{process.id, generation});
}

void CoreShell::failed(Process& process) {
  step(jobs::RankFailed{process.id, "it says why"});
}

void CoreShell::exited(Process& process, jobs::ExitStatus status, std::int64_t steps) {
  process.life = Process::Life::over;
  step(jobs::RankExited{process.id, status, steps});
}

void CoreShell::wait(Duration duration) {
  // A wait that ends may begin one of no length, as a grace of 0 s; more would make the shell spin.
  constexpr int kStepsMax = 3;
  now_ += duration;
  step(jobs::TimerExpired{});
  for (int steps = 1; core_.next_timer().value_or(Time::max()) <= now_; ++steps) {
    CHECK_LT(steps, kStepsMax);
    step(jobs::TimerExpired{});
  }
}

bool CoreShell::wait_for_timer() {
  const auto next = core_.next_timer();
  if (next) wait(std::max(*next - now_, Duration{0}));
  return next.has_value();
}

std::vector<Process*> CoreShell::of(Process::Life life) {
  std::vector<Process*> found;
  for (Process& process : processes_) {
    if (process.life == life) found.push_back(&process);
  }
  return found;
}

bool CoreShell::in_whole_ring(const Process& process) {
  if (process.inside.value == 0) return false;
  const auto& members = tables_.at(process.id.job).members;
  return std::all_of(members.begin(), members.end(), [&](const jobs::Member& member) {
    const Process& other = *find(member.id);
    return other.finished || (other.alive() && other.inside == process.inside);
  });
}

void CoreShell::check_nobody_waits_for_the_gone() {
  for (const Process& process : processes_) {
    const bool waits = process.alive() && process.inside.value > 0 && !process.finished;
    if (waits) CHECK(process.aborted || process.signal != 0 || in_whole_ring(process));
  }
}

std::vector<JobId> CoreShell::jobs() const {
  std::vector<JobId> ids;
  for (const auto& [id, job] : state().jobs) ids.push_back(id);
  return ids;
}

void CoreShell::step(const jobs::Event& event) {
  const jobs::Actions actions = core_.step(now_, event);
  for (const jobs::Action& action : actions) {
    std::visit([this](const auto& one) { on(one); }, action);
  }
  check_step(actions);
}

void CoreShell::check_step(const jobs::Actions& actions) {
  for (const std::string& violation : invariants_.check(core_.state(), actions)) {
    check_failed(__FILE__, __LINE__, violation);
  }
  for (const auto& [id, job] : core_.state().jobs) CHECK_EQ(job.ended(), ends_.contains(id));
}

void CoreShell::on(const jobs::CreateHost& action) {
  CHECK(!hosts_.contains(action.host) && !releasing_.contains(action.host));
  CHECK_LT(0, action.slots);
  CHECK(creating_.emplace(action.host, action.slots).second);
}

void CoreShell::on(const jobs::ReleaseHost& action) {
  for (const Process& process : processes_) CHECK(!process.alive() || process.host != action.host);
  creating_.erase(action.host);
  hosts_.erase(action.host);
  CHECK(releasing_.insert(action.host).second);
}

void CoreShell::on(const jobs::StartRank& action) {
  CHECK(!ends_.contains(action.id.job));
  CHECK(hosts_.contains(action.host));
  int used = 0;
  for (const Process& process : processes_) {
    used += process.alive() && process.host == action.host ? 1 : 0;
    if (process.id.job != action.id.job) continue;
    CHECK(process.id.incarnation < action.id.incarnation);
    CHECK(!process.alive() || process.id.rank != action.id.rank);
  }
  CHECK_LT(used, hosts_.at(action.host));
  processes_.push_back({.id = action.id, .host = action.host, .inside = {}});
}

void CoreShell::on(const jobs::SignalRank& action) {
  Process* process = find(action.id);
  CHECK(process != nullptr && process->alive());
  CHECK_LT(0, action.signal);
  if (process->signal != SIGKILL) process->signal = action.signal;
}

void CoreShell::on(const jobs::AbortGeneration& action) {
  CHECK(tables_.contains(action.job));
  CHECK_EQ(action.generation, tables_[action.job].generation);
  for (Process& process : processes_) {
    if (process.id.job == action.job && process.inside == action.generation) process.aborted = true;
  }
}

void CoreShell::on(const jobs::FormGeneration& action) {
  CHECK(!ends_.contains(action.job));
  const auto& table = action.table;
  CHECK_EQ(table.generation.value, tables_[action.job].generation.value + 1);
  CHECK(table.since <= now_);
  CHECK(!table.reason.empty());
  for (const Process& process : processes_) {
    // Nobody of an older generation can interfere: not before it has left it, or is dead.
    const bool interferes = process.id.job == action.job && process.alive() && !process.finished &&
                            process.inside.value > 0;
    CHECK(!interferes);
  }
  for (std::size_t i = 0; i < table.members.size(); ++i) {
    if (i > 0) CHECK_LT(table.members[i - 1].id.rank, table.members[i].id.rank);
    Process* process = find(table.members[i].id);
    CHECK(process != nullptr && process->life == Process::Life::running && process->ready);
    CHECK_EQ(process->host, table.members[i].host);
    process->ready = false;
    process->inside = table.generation;
    process->aborted = false;
  }
  tables_[action.job] = table;
}

void CoreShell::on(const jobs::EndJob& action) {
  CHECK(!ends_.contains(action.job));
  for (const Process& process : processes_) {
    if (process.id.job == action.job) CHECK(!process.alive());
  }
  CHECK((action.state == jobs::JobState::done) == (action.exit_code == 0));
  CHECK(!action.reason.empty());
  ends_[action.job] = action;
}

void CoreShell::on(const jobs::Report& action) {
  CHECK(!action.text.empty());
}

Process* CoreShell::find(const jobs::RankId& id) {
  const auto at = std::find_if(processes_.begin(), processes_.end(),
                               [&](const Process& process) { return process.id == id; });
  return at == processes_.end() ? nullptr : &*at;
}

}  // namespace ringmaster::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/recovery_job.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launcher/control/ask.h"
#include "launcher/process/descendants.h"

namespace ringmaster::launcher {

namespace {

constexpr const char* kName = "recovery";
constexpr Duration kJobPatience = std::chrono::seconds(30);
/// Agents of a benchmark that was killed end soon.
constexpr const char* kAbandonAfter = "20";

}  // namespace

Result<std::unique_ptr<RecoveryJob>> RecoveryJob::start(const RecoveryPlan& plan,
                                                        const TemporaryFolder& folder) {
  std::unique_ptr<RecoveryJob> job(new RecoveryJob(plan, folder));
  const auto self = this_program();
  if (!self) return self.error();
  auto started =
      plan.hosts == 0 ? job->start_under_ringrun(*self) : job->start_under_coordinator(*self);
  if (!started) return started.error();
  return job;
}

RecoveryJob::~RecoveryJob() {
  if (plan_.hosts == 0 || !program_) return;
  const auto self = this_program();
  if (self) static_cast<void>(run_program({*self, "down"}, output(), kJobPatience));
}

std::vector<std::string> RecoveryJob::rank_command(const std::string& self) const {
  return {self, "bench", "recovery-rank", "--log", plan_.log};
}

Result<void> RecoveryJob::start_under_ringrun(const std::string& self) {
  const auto ringrun = find_beside("ringrun");
  if (!ringrun) return ringrun.error();
  std::vector<std::string> command = {*ringrun,
                                      "-np",
                                      fmt::format("{}", plan_.ranks),
                                      "--elastic",
                                      fmt::format("1:{}", plan_.ranks),
                                      "--restarts",
                                      fmt::format("{}", plan_.restarts)};
  for (const std::string& word : rank_command(self)) command.push_back(word);
  auto program = Program::start(std::move(command), output());
  if (!program) return program.error();
  program_.emplace(std::move(*program));
  return {};
}

Result<void> RecoveryJob::start_under_coordinator(const std::string& self) {
  // Every command that is started from here speaks to this coordinator.
  ::setenv("RINGMASTER_HOME", home().c_str(), 1);
  auto program = Program::start({self, "serve", "--abandon-after", kAbandonAfter}, output());
  if (!program) return program.error();
  program_.emplace(std::move(*program));
  const StateHome state(home());
  const Time deadline = read_clock() + kJobPatience;
  while (!coordinator_runs(state) || !state.endpoint()) {
    if (read_clock() > deadline) return Error{Errc::timed_out, "the coordinator does not start"};
    if (auto ran = let_run(std::chrono::milliseconds(20)); !ran) return ran;
  }
  const std::string spec = folder_.file("recovery.yaml");
  std::string words;
  for (const std::string& word : rank_command(self)) {
    words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", word);
  }
  const int slots = (plan_.ranks + plan_.hosts - 1) / plan_.hosts;
  std::ofstream(spec) << fmt::format(
      "name: {}\ncommand: [{}]\nranks: {{min: 1, max: {}}}\nprovider: local\n"
      "local: {{hosts: {}, slots: {}}}\nlimits: {{restarts: {}}}\n",
      kName, words, plan_.ranks, plan_.hosts, slots, plan_.restarts);
  return run_program({self, "submit", spec}, output(), kJobPatience);
}

Result<void> RecoveryJob::let_run(Duration time) {
  const auto status = program_->wait(time);
  if (!status) return status.error();
  if (!status->has_value()) return {};
  return ended_badly(plan_.hosts == 0 ? "ringrun" : "the coordinator", **status, output());
}

Result<void> RecoveryJob::finish(Duration patience) {
  if (plan_.hosts > 0) {
    const auto self = this_program();
    if (!self) return self.error();
    return run_program({*self, "logs", "-f", kName}, output(), patience);
  }
  const auto status = program_->wait(patience);
  if (!status) return status.error();
  if (!status->has_value()) return Error{Errc::timed_out, "the ranks do not end"};
  if (**status != 0) return ended_badly("ringrun", **status, output());
  return {};
}

Result<std::set<int>> RecoveryJob::kill_host_of(int rank, const std::vector<int>& processes) const {
  const auto parent_of = [&](int number) {
    const auto process = read_process(processes.at(static_cast<std::size_t>(number)));
    return process ? process->parent : 0;
  };
  const pid_t agent = parent_of(rank);
  std::vector<pid_t> victims;
  std::error_code code;
  for (const auto& host : std::filesystem::directory_iterator(home() + "/hosts", code)) {
    std::istringstream text(read_small_file(host.path() / "lock"));
    pid_t guard = 0, own = 0;
    if (text >> guard >> own && own == agent) victims = {guard, own};
  }
  if (victims.empty()) {
    return Error{Errc::not_found, fmt::format("no local host runs rank {}", rank)};
  }
  std::set<int> dead;
  for (int number = 0; number < plan_.ranks; ++number) {
    if (parent_of(number) != agent) continue;
    dead.insert(number);
    victims.push_back(processes.at(static_cast<std::size_t>(number)));
  }
  for (const pid_t pid : victims) ::kill(pid, SIGKILL);
  return dead;
}

}  // namespace ringmaster::launcher

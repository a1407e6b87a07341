// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/follow.h"

#include <fmt/format.h>

#include <cstdio>
#include <thread>

#include "launcher/commands/program.h"
#include "launcher/control/ask.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(100);
/// Without a word from other machines that have not said their last one, when the job has ended.
constexpr Duration kTailPatience = std::chrono::seconds(10);

void say(const std::string& line) {
  std::fflush(stdout);
  fmt::print(stderr, "ringmaster: {}\n", line);
}

void print(const std::string& output) {
  std::fwrite(output.data(), 1, output.size(), stdout);
  std::fflush(stdout);
}

/// What is worth a line: reports, and waiting with its reason.
void tell(const Replay::Told& told, jobs::JobId job) {
  for (const jobs::Action& action : told.actions) {
    const auto* report = std::get_if<jobs::Report>(&action);
    if (report != nullptr && report->job == job) say(report->text);
  }
}

}  // namespace

void tell_of_missing(const LogReader& logs) {
  if (logs.complete()) return;
  say("a host has not sent all its output yet: a coordinator that runs gets the rest");
}

void print_all(LogReader& logs) {
  for (std::string text = logs.next(); !text.empty(); text = logs.next()) print(text);
  print(logs.rest());
}

Result<int> follow(const StateHome& home, Replay& replay, const jobs::JobEntry& job) {
  const Interrupts interrupts;
  LogReader logs(job.launch.log_folder());
  std::string reason;
  Time came = read_clock();  // the last time that there was output, or could be
  for (;;) {
    auto news = replay.next();
    if (!news) return news.error();
    const std::string output = logs.next();
    print(output);
    if (!output.empty()) came = read_clock();
    for (const Replay::Told& told : *news) tell(told, job.job);
    const auto found = replay.state().jobs.find(job.job);
    if (found != replay.state().jobs.end()) {
      const jobs::Job& now = found->second;
      if (now.state == jobs::JobState::waiting && now.reason != reason) {
        reason = now.reason;
        say(fmt::format("waiting: {}", reason));
      }
      // The end may be known before the last words from another machine.
      if (!now.ended()) came = read_clock();
      const bool waits = read_clock() - came < kTailPatience;
      if (now.ended() && (logs.complete() || !waits || !coordinator_runs(home))) {
        print_all(logs);
        tell_of_missing(logs);
        say(fmt::format("job {} {}: {}", job.job.value, jobs::state_name(now.state), now.reason));
        return now.outcome->exit_code;
      }
    }
    if (Interrupts::came()) {
      say(fmt::format("job {} goes on; come back with: ringmaster logs -f {}", job.job.value,
                      job.job.value));
      return 0;
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/follow.h"

#include <fmt/format.h>

#include <cstdio>
#include <thread>

#include "launcher/commands/program.h"
#include "launcher/control/log_reader.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(100);

void say(const std::string& line) {
  std::fflush(stdout);
  fmt::print(stderr, "ringmaster: {}\n", line);
}

/// What is worth a line: reports, and waiting with its reason.
void tell(const Replay::Told& told, jobs::JobId job) {
  for (const jobs::Action& action : told.actions) {
    const auto* report = std::get_if<jobs::Report>(&action);
    if (report != nullptr && report->job == job) say(report->text);
  }
}

}  // namespace

Result<int> follow(Replay& replay, const jobs::JobEntry& job) {
  const Interrupts interrupts;
  LogReader logs(job.launch.log_folder());
  std::string reason;
  for (;;) {
    auto news = replay.next();
    if (!news) return news.error();
    const std::string output = logs.next();
    std::fwrite(output.data(), 1, output.size(), stdout);
    std::fflush(stdout);
    for (const Replay::Told& told : *news) tell(told, job.job);
    const auto found = replay.state().jobs.find(job.job);
    if (found != replay.state().jobs.end()) {
      const jobs::Job& now = found->second;
      if (now.state == jobs::JobState::waiting && now.reason != reason) {
        reason = now.reason;
        say(fmt::format("waiting: {}", reason));
      }
      if (now.ended()) {
        const std::string rest = logs.rest();
        std::fwrite(rest.data(), 1, rest.size(), stdout);
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

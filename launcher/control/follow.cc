// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "launcher/commands/program.h"
#include "launcher/control/ask.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kFollowLook = std::chrono::milliseconds(100);
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

/// What is worth a line: reports. Gives the newest line's number.
Result<std::int64_t> tell(const Replay& replay, jobs::JobId job, std::int64_t after) {
  return replay.journal().read_story(job, after, [](std::int64_t, const jobs::StoryLine& line) {
    if (line.name == "report") say(line.text);
  });
}

/// Before the second one has said a word.
bool on_several_hosts(const jobs::Job& job) {
  return std::ranges::any_of(job.ranks, [&](const jobs::RankRecord& rank) {
    return rank.starts > 0 && rank.host != job.ranks.front().host;
  });
}

int tell_end(const jobs::JobEntry& job) {
  const jobs::Job& record = *job.record;
  say(fmt::format("job {} {}: {}", job.job.value, jobs::state_name(record.state), record.reason));
  return record.outcome->exit_code;
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
  std::int64_t told = 0;
  Time came = read_clock();  // the last time that there was output, or could be
  for (;;) {
    // Whether it has ended first: then all that it had to say is there.
    const auto entry = replay.journal().read_job(job.job);
    if (!entry) return entry.error();
    if (!*entry) return Error{Errc::not_found, fmt::format("job {} is forgotten", job.job.value)};
    if (auto news = replay.next(); !news) return news.error();
    const auto found = replay.state().jobs.find(job.job);
    if (found != replay.state().jobs.end() && on_several_hosts(found->second)) logs.name_hosts();
    const std::string output = logs.next();
    print(output);
    if (!output.empty()) came = read_clock();
    const auto newest = tell(replay, job.job, told);
    if (!newest) return newest.error();
    told = *newest;
    // The end may be known before the last words from another machine.
    if (!(*entry)->record) came = read_clock();
    const bool waits_for_words = read_clock() - came < kTailPatience;
    if ((*entry)->record && (logs.complete() || !waits_for_words || !coordinator_runs(home))) {
      print_all(logs);
      tell_of_missing(logs);
      return tell_end(**entry);
    }
    const bool waits =
        found != replay.state().jobs.end() && found->second.state == jobs::JobState::waiting;
    if (waits && found->second.reason != reason) {
      reason = found->second.reason;
      say(fmt::format("waiting: {}", reason));
    }
    if (Interrupts::came()) {
      say(fmt::format("job {} goes on; come back with: ringmaster logs -f {}", job.job.value,
                      job.job.value));
      return 0;
    }
    std::this_thread::sleep_for(kFollowLook);
  }
}

}  // namespace ringmaster::launcher

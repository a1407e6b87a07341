// SPDX-License-Identifier: Apache-2.0
//
// Commands that ask the coordinator to do something: cancel, reclaim, down; and keygen.
#include <fmt/format.h>

#include <thread>

#include "jobs/spec/amount.h"
#include "launcher/commands/command.h"
#include "launcher/commands/program.h"
#include "launcher/control/ask.h"
#include "launcher/control/replay.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(20);
constexpr Duration kEnds = std::chrono::seconds(10);

/// Asks and prints the answer.
int ask_and_tell(const wire::FromClient& question) {
  const auto answer = ask(StateHome::from_environment(), question);
  if (!answer) return fail(false, answer.error(), "ringmaster up starts one");
  if (answer->has_failed()) {
    return fail(false, {Errc::invalid, answer->failed().message()}, answer->failed().hint());
  }
  fmt::print("{}\n", answer->done().text());
  return 0;
}

}  // namespace

int run_cancel(const Arguments& arguments) {
  bool now = false;
  const Flags flags = {{"--now", &now, "", "kill the ranks at once, without the grace"}};
  const Usage usage = {"ringmaster cancel JOB [--now]", "Ends a job.", "ringmaster cancel fashion",
                       Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() != 1) {
    return fail(false, {Errc::invalid, "which job?"}, "ringmaster jobs lists them", kExitUsage);
  }
  const auto replay = Replay::open(StateHome::from_environment());
  if (!replay) return fail(false, replay.error());
  const auto job = replay->find_job(read.words.front());
  if (!job) return fail(false, job.error(), "ringmaster jobs lists them");
  wire::FromClient question;
  question.mutable_cancel()->set_job(job->job.value);
  question.mutable_cancel()->set_now(now);
  return ask_and_tell(question);
}

int run_reclaim(const Arguments& arguments) {
  std::string notice = "10s";
  bool at_once = false;
  const Flags flags = {
      {"--notice", &notice, "TIME", "how long before the host is taken, as in 10s"},
      {"--lose", &at_once, "", "no notice: kill the agent and its ranks now"}};
  const Usage usage = {"ringmaster reclaim HOST [options]",
                       "Takes a local host away, as a spot provider does: a drill.",
                       "ringmaster reclaim local-2 --notice 10s", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() != 1) {
    return fail(false, {Errc::invalid, "which host?"}, "ringmaster hosts lists them", kExitUsage);
  }
  const auto window = jobs::parse_duration(notice);
  if (!window) {
    return fail(false, {Errc::invalid, fmt::format("--notice {}: no time, as in 10s", notice)}, "",
                kExitUsage);
  }
  wire::FromClient question;
  question.mutable_reclaim()->set_host(read.words.front());
  question.mutable_reclaim()->set_notice_ns(window->count());
  question.mutable_reclaim()->set_at_once(at_once);
  return ask_and_tell(question);
}

int run_keygen(const Arguments& arguments) {
  std::string path = "agent.key";
  const Flags flags = {{"-o,--output", &path, "FILE", "the new key file"}};
  const Usage usage = {"ringmaster keygen [-o FILE]",
                       "Makes a key with which an agent or a user may speak to this coordinator.",
                       "ringmaster keygen -o agent.key"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const StateHome home = StateHome::from_environment();
  if (auto prepared = home.prepare(); !prepared) return fail(false, prepared.error());
  if (auto made = home.make_credentials(path); !made) return fail(false, made.error());
  fmt::print("{} may speak to the coordinator of {}\n", path, home.path());
  return 0;
}

int run_up(const Arguments& arguments) {
  const Usage usage = {"ringmaster up", "Starts a coordinator for this user in the background.",
                       "ringmaster up"};
  const Read read = read_arguments(usage, {}, arguments);
  if (!read.run) return read.exit_code;
  const StateHome home = StateHome::from_environment();
  if (coordinator_runs(home)) {
    fmt::print("a coordinator runs already for {}\n", home.path());
    return 0;
  }
  if (auto prepared = home.prepare(); !prepared) return fail(false, prepared.error());
  const auto self = this_program();
  if (!self) return fail(false, self.error());
  const std::string log = home.file("coordinator.log");
  auto started = start_detached({*self, "serve"}, log);
  if (!started) return fail(false, started.error());
  wire::FromClient question;
  question.mutable_ping();
  const Time end = read_clock() + kEnds;
  while (read_clock() < end) {
    if (coordinator_runs(home) && ask(home, question, std::chrono::seconds(1))) {
      fmt::print("the coordinator runs; its log: {}\n", log);
      return 0;
    }
    std::this_thread::sleep_for(kLook);
  }
  return fail(false, {Errc::timed_out, "the coordinator did not start"},
              fmt::format("see {}", log));
}

int run_down(const Arguments& arguments) {
  bool leave = false;
  const Flags flags = {
      {"--leave-jobs", &leave, "", "jobs go on without it, for its --abandon-after at most"}};
  const Usage usage = {"ringmaster down [--leave-jobs]",
                       "Ends the jobs of this user's coordinator, and the coordinator.",
                       "ringmaster down"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const StateHome home = StateHome::from_environment();
  if (!coordinator_runs(home)) {
    fmt::print("no coordinator runs for {}\n", home.path());
    return 0;
  }
  auto replay = Replay::open(home);
  if (!replay) return fail(false, replay.error());
  const Interrupts interrupts;
  bool asked = leave;
  for (;;) {
    if (auto news = replay->next(); !news) return fail(false, news.error());
    if (Interrupts::came()) return Interrupts::exit_code();
    bool busy = !replay->state().hosts.empty();
    for (const auto& [id, job] : replay->state().jobs) {
      if (job.ended()) continue;
      busy = true;
      if (asked) continue;
      wire::FromClient question;
      question.mutable_cancel()->set_job(id.value);
      const auto answer = ask(home, question);
      if (!answer) return fail(false, answer.error());
      fmt::print("job {} is cancelled\n", id.value);
    }
    // Hosts of others stay; what was made here goes with the last job.
    bool own_hosts = false;
    for (const auto& [id, host] : replay->state().hosts) own_hosts = own_hosts || host.created;
    bool jobs_left = false;
    for (const auto& [id, job] : replay->state().jobs) jobs_left = jobs_left || !job.ended();
    if (leave || !busy || (!own_hosts && !jobs_left)) break;
    asked = true;
    std::this_thread::sleep_for(kLook);
  }
  wire::FromClient question;
  question.mutable_stop();
  const auto answer = ask(home, question);
  if (!answer) return fail(false, answer.error());
  const Time end = read_clock() + kEnds;
  while (coordinator_runs(home) && read_clock() < end) std::this_thread::sleep_for(kLook);
  if (coordinator_runs(home)) return fail(false, {Errc::timed_out, "the coordinator did not end"});
  fmt::print("the coordinator has ended\n");
  return 0;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// Commands that ask the coordinator to do something: cancel, reclaim, down; and keygen.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "jobs/spec/amount.h"
#include "launcher/commands/command.h"
#include "launcher/control/ask.h"
#include "launcher/control/replay.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kManageLook = std::chrono::milliseconds(20);
constexpr Duration kEnds = std::chrono::seconds(10);

/// One line of what was done: for people, or the object.
int tell(bool json, const std::string& text, const Json& object) {
  return print_line(json ? object.dump(-1, ' ', false, Json::error_handler_t::replace) : text);
}

/// Asks, and fails as the coordinator does.
Result<std::string> ask_to(const wire::FromClient& question, std::string& hint) {
  const auto answer = ask(StateHome::from_environment(), question);
  hint = answer ? answer->failed().hint() : "ringmaster up starts one";
  if (!answer) return answer.error();
  if (answer->has_failed()) return Error{Errc::invalid, answer->failed().message()};
  return answer->done().text();
}

}  // namespace

int run_cancel(const Arguments& arguments) {
  bool now = false, json = false;
  const Flags flags = {{"--now", &now, "", "kill the ranks at once, without the grace"},
                       {"--json", &json, "", "print JSON"}};
  const Usage usage = {"ringmaster cancel JOB [options]", "Ends a job.",
                       "ringmaster cancel fashion", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() != 1) {
    return fail(json, {Errc::invalid, "which job?"}, "ringmaster jobs lists them", kExitUsage);
  }
  const auto replay = Replay::open(StateHome::from_environment());
  if (!replay) return fail(json, replay.error());
  const auto job = replay->find_job(read.words.front());
  if (!job) return fail(json, job.error(), "ringmaster jobs lists them");
  wire::FromClient question;
  question.mutable_cancel()->set_job(job->job.value);
  question.mutable_cancel()->set_now(now);
  std::string hint;
  const auto done = ask_to(question, hint);
  if (!done) return fail(json, done.error(), hint);
  return tell(json, *done, {{"job", job->job.value}, {"name", job->name}, {"done", *done}});
}

int run_reclaim(const Arguments& arguments) {
  std::string notice = "10s";
  bool at_once = false, json = false;
  const Flags flags = {
      {"--notice", &notice, "TIME", "how long before the host is taken, as in 10s"},
      {"--lose", &at_once, "", "no notice: kill the agent and its ranks now"},
      {"--json", &json, "", "print JSON"}};
  const Usage usage = {"ringmaster reclaim HOST [options]",
                       "Takes a local host away, as a spot provider does: a drill.",
                       "ringmaster reclaim local-2 --notice 10s", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() != 1) {
    return fail(json, {Errc::invalid, "which host?"}, "ringmaster hosts lists them", kExitUsage);
  }
  const auto window = jobs::parse_duration(notice);
  if (!window) {
    return fail(json, {Errc::invalid, fmt::format("--notice {}: no time, as in 10s", notice)}, "",
                kExitUsage);
  }
  wire::FromClient question;
  question.mutable_reclaim()->set_host(read.words.front());
  question.mutable_reclaim()->set_notice_ns(window->count());
  question.mutable_reclaim()->set_at_once(at_once);
  std::string hint;
  const auto done = ask_to(question, hint);
  if (!done) return fail(json, done.error(), hint);
  return tell(json, *done, {{"host", read.words.front()}, {"done", *done}});
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
  bool json = false;
  const Flags flags = {{"--json", &json, "", "print JSON"}};
  const Usage usage = {"ringmaster up [--json]",
                       "Starts a coordinator for this user in the background.", "ringmaster up"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const StateHome home = StateHome::from_environment();
  const std::string log = home.file("coordinator.log");
  if (coordinator_runs(home)) {
    return tell(json, fmt::format("a coordinator runs already for {}", home.path()),
                {{"coordinator", "runs"}, {"home", home.path()}, {"started", false}});
  }
  if (auto prepared = home.prepare(); !prepared) return fail(json, prepared.error());
  const auto self = this_program();
  if (!self) return fail(json, self.error());
  auto started = start_detached({*self, "serve"}, log);
  if (!started) return fail(json, started.error());
  wire::FromClient question;
  question.mutable_ping();
  const Time end = read_clock() + kEnds;
  while (read_clock() < end) {
    if (coordinator_runs(home) && ask(home, question, std::chrono::seconds(1))) {
      return tell(
          json, fmt::format("the coordinator runs; its log: {}", log),
          {{"coordinator", "runs"}, {"home", home.path()}, {"started", true}, {"log", log}});
    }
    std::this_thread::sleep_for(kManageLook);
  }
  return fail(json, {Errc::timed_out, "the coordinator did not start"}, fmt::format("see {}", log));
}

namespace {

/// Cancels every job and waits until what was made for them is gone: their numbers. `leave`: does
/// nothing.
Result<std::vector<std::int64_t>> end_jobs(const StateHome& home, bool leave, bool json) {
  auto replay = Replay::open(home);
  if (!replay) return replay.error();
  std::vector<std::int64_t> cancelled;
  for (bool asked = leave;; asked = true) {
    if (auto news = replay->next(); !news) return news.error();
    if (Interrupts::came()) return Error{Errc::closed, "interrupted"};
    // Hosts of others stay; what was made here goes with the last job.
    bool busy = false;
    for (const auto& [id, host] : replay->state().hosts) busy = busy || host.created;
    for (const auto& [id, job] : replay->state().jobs) {
      if (job.ended()) continue;
      busy = true;
      if (asked) continue;
      wire::FromClient question;
      question.mutable_cancel()->set_job(id.value);
      const auto answer = ask(home, question);
      if (!answer) return answer.error();
      cancelled.push_back(id.value);
      if (!json) print_line(fmt::format("job {} is cancelled", id.value));
    }
    if (leave || !busy) return cancelled;
    std::this_thread::sleep_for(kManageLook);
  }
}

}  // namespace

int run_down(const Arguments& arguments) {
  bool leave = false, json = false;
  const Flags flags = {
      {"--leave-jobs", &leave, "", "jobs go on without it, for its --abandon-after at most"},
      {"--json", &json, "", "print JSON"}};
  const Usage usage = {"ringmaster down [options]",
                       "Ends the jobs of this user's coordinator, and the coordinator.",
                       "ringmaster down"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const StateHome home = StateHome::from_environment();
  if (!coordinator_runs(home)) {
    return tell(json, fmt::format("no coordinator runs for {}", home.path()),
                {{"coordinator", "none"}, {"home", home.path()}, {"cancelled", Json::array()}});
  }
  const Interrupts interrupts;
  const auto cancelled = end_jobs(home, leave, json);
  if (Interrupts::came()) return Interrupts::exit_code();
  if (!cancelled) return fail(json, cancelled.error());
  wire::FromClient question;
  question.mutable_stop();
  const auto answer = ask(home, question);
  if (!answer) return fail(json, answer.error());
  const Time end = read_clock() + kEnds;
  while (coordinator_runs(home) && read_clock() < end) std::this_thread::sleep_for(kManageLook);
  if (coordinator_runs(home)) return fail(json, {Errc::timed_out, "the coordinator did not end"});
  return tell(json, "the coordinator has ended",
              {{"coordinator", "ended"}, {"home", home.path()}, {"cancelled", *cancelled}});
}

}  // namespace ringmaster::launcher

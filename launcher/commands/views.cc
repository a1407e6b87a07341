// SPDX-License-Identifier: Apache-2.0
//
// Commands that look: jobs, status, hosts, events, explain, logs. They read the journal and need no
// coordinator.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "launcher/clock_text.h"
#include "launcher/commands/command.h"
#include "launcher/control/ask.h"
#include "launcher/control/follow.h"
#include "launcher/control/log_reader.h"
#include "launcher/control/replay.h"

namespace ringmaster::launcher {

namespace {

using nlohmann::json;

/// What programs say of themselves need not be UTF-8.
std::string text_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A replay that has read everything that is there.
Result<Replay> read_all() {
  auto replay = Replay::open(StateHome::from_environment());
  if (!replay) return replay;
  if (auto news = replay->next(); !news) return news.error();
  return replay;
}

std::string host_name(const Replay& replay, jobs::HostId id) {
  const auto found = replay.state().hosts.find(id);
  return found == replay.state().hosts.end() ? "" : found->second.name;
}

json job_json(const Replay& replay, const Replay::Seen& seen) {
  const auto& [entry, job, steps] = seen;
  json object = {{"job", entry.job.value}, {"name", entry.name}, {"submitted", entry.submitted}};
  object["state"] = jobs::state_name(job.state);
  object["reason"] = job.reason;
  object["generation"] = job.table.generation.value;
  object["step"] = steps;
  if (job.saves.durable.exists()) object["durable_step"] = job.saves.durable.steps;
  object["restarts_used"] = job.restarts_used;
  if (job.ended()) object["exit_code"] = job.outcome->exit_code;
  object["ranks"] = json::array();
  for (const auto& rank : job.ranks) {
    object["ranks"].push_back({{"rank", rank.id.rank.value},
                               {"state", jobs::state_name(rank.state)},
                               {"host", host_name(replay, rank.host)},
                               {"starts", rank.starts}});
  }
  return object;
}

/// A failure to find or to read a job.
int fail_to_see(bool as_json, const Error& error) {
  return fail(as_json, error, error.code == Errc::corrupt ? "" : "ringmaster jobs lists them");
}

/// The command line of a command that takes JOB and --json.
struct JobWords {
  bool json = false;
  Read read;
};
JobWords read_job_words(const char* usage, const char* purpose, const char* example,
                        const Arguments& arguments) {
  JobWords words;
  const Flags flags = {{"--json", &words.json, "", "print JSON"}};
  words.read = read_arguments({usage, purpose, example, Rest::words}, flags, arguments);
  if (words.read.run && words.read.words.size() != 1) {
    words.read.run = false;
    words.read.exit_code =
        fail(words.json, {Errc::invalid, "which job?"}, "ringmaster jobs lists them", kExitUsage);
  }
  return words;
}

void print_status(const Replay& replay, const Replay::Seen& seen) {
  const auto& [entry, job, steps] = seen;
  fmt::print("job {} ({}): {}\n  {}\n", entry.job.value, entry.name, jobs::state_name(job.state),
             job.reason);
  fmt::print("  submitted {}, generation {}, step {}, {} of {} restarts used\n",
             clock_text(entry.submitted), job.table.generation.value, steps, job.restarts_used,
             job.spec.restarts);
  if (job.saves.durable.exists()) {
    fmt::print("  checkpoint of step {}\n", job.saves.durable.steps);
  }
  for (const auto& rank : job.ranks) {
    fmt::print("  rank {:<3} {:<9} {}{}\n", rank.id.rank.value, jobs::state_name(rank.state),
               rank.has_process() ? host_name(replay, rank.host) : "",
               rank.starts > 1 ? fmt::format("  (process {} of this rank)", rank.starts) : "");
  }
}

}  // namespace

int run_jobs(const Arguments& arguments) {
  bool as_json = false;
  const Flags flags = {{"--json", &as_json, "", "a JSON object a line"}};
  const Usage usage = {"ringmaster jobs [--json]",
                       "Lists this user's jobs, and those that have ended: the newest 10,000 "
                       "(serve --keep-jobs).",
                       "ringmaster jobs"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  auto replay = read_all();
  if (!replay) return fail(as_json, replay.error(), "ringmaster up starts a coordinator");
  const auto all = replay->see_all();
  if (!all) return fail(as_json, all.error());
  if (!as_json)
    fmt::print("{:>4}  {:<20} {:<10} {:>6}  {}\n", "job", "name", "state", "step", "reason");
  for (const Replay::Seen& seen : *all) {
    if (as_json) {
      fmt::print("{}\n", text_of(job_json(*replay, seen)));
      continue;
    }
    fmt::print("{:>4}  {:<20} {:<10} {:>6}  {}\n", seen.entry.job.value, seen.entry.name,
               jobs::state_name(seen.job.state), seen.steps, seen.job.reason);
  }
  return 0;
}

int run_status(const Arguments& arguments) {
  const auto words =
      read_job_words("ringmaster status JOB [--json]", "Tells how a job is doing and why.",
                     "ringmaster status 3", arguments);
  if (!words.read.run) return words.read.exit_code;
  auto replay = read_all();
  if (!replay) return fail(words.json, replay.error(), "ringmaster up starts a coordinator");
  const auto seen = replay->see(words.read.words.front());
  if (!seen) return fail_to_see(words.json, seen.error());
  if (words.json) {
    fmt::print("{}\n", text_of(job_json(*replay, *seen)));
  } else {
    print_status(*replay, *seen);
  }
  return 0;
}

int run_hosts(const Arguments& arguments) {
  bool as_json = false;
  const Flags flags = {{"--json", &as_json, "", "a JSON object a line"}};
  const Usage usage = {"ringmaster hosts [--json]", "Lists the hosts, and what runs there.",
                       "ringmaster hosts"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto replay = read_all();
  if (!replay) return fail(as_json, replay.error(), "ringmaster up starts a coordinator");
  if (!as_json)
    fmt::print("{:<16} {:<10} {:>5} {:>5}  {}\n", "host", "state", "slots", "used", "reason");
  for (const auto& [id, host] : replay->state().hosts) {
    int used = 0;
    for (const auto& [job_id, job] : replay->state().jobs) {
      for (const auto& rank : job.ranks) used += rank.has_process() && rank.host == id ? 1 : 0;
    }
    if (as_json) {
      const json object = {{"host", host.name},     {"state", jobs::state_name(host.state)},
                           {"slots", host.slots},   {"used", used},
                           {"reason", host.reason}, {"created", host.created}};
      fmt::print("{}\n", text_of(object));
    } else {
      fmt::print("{:<16} {:<10} {:>5} {:>5}  {}\n", host.name, jobs::state_name(host.state),
                 host.slots, used, host.reason);
    }
  }
  return 0;
}

int run_events(const Arguments& arguments) {
  const auto words = read_job_words("ringmaster events JOB [--json]",
                                    "Lists what happened to a job and what was done about it.",
                                    "ringmaster events 3", arguments);
  if (!words.read.run) return words.read.exit_code;
  const auto replay = Replay::open(StateHome::from_environment());
  if (!replay) return fail(words.json, replay.error(), "ringmaster up starts a coordinator");
  const auto entry = replay->find_job(words.read.words.front());
  if (!entry) return fail_to_see(words.json, entry.error());
  std::int64_t before = 0;
  const auto print = [&](std::int64_t number, const jobs::StoryLine& line) {
    if (before == 0 && number > 1 && !words.json) {
      fmt::print("[{} older lines were dropped]\n", number - 1);
    }
    before = number;
    const std::string text = (line.name == "report" ? "report: " : "") + line.text;
    if (words.json) {
      const json object = {
          {"time", line.wall}, {line.decision ? "action" : "event", line.name}, {"reason", text}};
      fmt::print("{}\n", text_of(object));
    } else {
      fmt::print("{}  {}{}\n", clock_text(line.wall), line.decision ? "  -> " : "", text);
    }
  };
  const auto told = replay->journal().read_story(entry->job, 0, print);
  return told ? 0 : fail(words.json, told.error());
}

int run_explain(const Arguments& arguments) {
  const auto words = read_job_words("ringmaster explain JOB [--json]",
                                    "Tells why a job waits, moved, healed or ended.",
                                    "ringmaster explain 3", arguments);
  if (!words.read.run) return words.read.exit_code;
  auto replay = read_all();
  if (!replay) return fail(words.json, replay.error(), "ringmaster up starts a coordinator");
  const auto seen = replay->see(words.read.words.front());
  if (!seen) return fail_to_see(words.json, seen.error());
  const auto print = [&](std::int64_t, const jobs::StoryLine& line) {
    if (line.name != "report") return;
    if (words.json) {
      const json object = {{"time", line.wall}, {"reason", line.text}};
      fmt::print("{}\n", text_of(object));
    } else {
      fmt::print("{}  {}\n", clock_text(line.wall), line.text);
    }
  };
  const auto told = replay->journal().read_story(seen->entry.job, 0, print);
  if (!told) return fail(words.json, told.error());
  const jobs::Job& job = seen->job;
  if (words.json) {
    const json object = {{"state", jobs::state_name(job.state)}, {"reason", job.reason}};
    fmt::print("{}\n", text_of(object));
  } else {
    fmt::print("now: {}: {}\n", jobs::state_name(job.state), job.reason);
  }
  return 0;
}

int run_logs(const Arguments& arguments) {
  bool follows = false;
  const Flags flags = {{"-f,--follow", &follows, "", "go on until the job ends"}};
  const Usage usage = {"ringmaster logs JOB [-f]", "Prints what a job's ranks wrote.",
                       "ringmaster logs -f fashion", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() != 1) {
    return fail(false, {Errc::invalid, "which job?"}, "ringmaster jobs lists them", kExitUsage);
  }
  const StateHome home = StateHome::from_environment();
  auto replay = Replay::open(home);
  if (!replay) return fail(false, replay.error(), "ringmaster up starts a coordinator");
  const auto entry = replay->find_job(read.words.front());
  if (!entry) return fail(false, entry.error(), "ringmaster jobs lists them");
  if (follows) {
    const auto code = follow(home, *replay, *entry);
    return code ? *code : fail(false, code.error());
  }
  LogReader logs(entry->launch.log_folder());
  print_all(logs);
  if (entry->record) tell_of_missing(logs);
  return 0;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// Commands that look: jobs, status, hosts, events, explain, logs. They read the journal and need no
// coordinator.
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "launcher/commands/command.h"
#include "launcher/control/ask.h"
#include "launcher/control/follow.h"
#include "launcher/control/log_reader.h"
#include "launcher/control/replay.h"

namespace ringmaster::launcher {

namespace {

using nlohmann::json;

std::string clock_text(double wall) {
  const auto seconds = static_cast<std::time_t>(wall);
  std::tm parts = {};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%F %T", &parts);
  return text.data();
}

/// A replay that has read everything that is there.
Result<Replay> read_all(std::vector<Replay::Told>* told = nullptr) {
  auto replay = Replay::open(StateHome::from_environment());
  if (!replay) return replay;
  auto news = replay->next();
  if (!news) return news.error();
  if (told != nullptr) *told = std::move(*news);
  return replay;
}

const jobs::Job* core_job(const Replay& replay, jobs::JobId id) {
  const auto found = replay.state().jobs.find(id);
  return found == replay.state().jobs.end() ? nullptr : &found->second;
}

/// The finished steps as far as anybody knows: no event is written for each of them.
std::int64_t steps_of(const Replay& replay, const jobs::Job& job) {
  std::int64_t steps = 0;
  for (const auto& rank : job.ranks) steps = std::max(steps, rank.steps);
  const auto heard = replay.journal().read_progress(job.id);
  if (heard && *heard) steps = std::max(steps, **heard);
  return steps;
}

std::string host_name(const Replay& replay, jobs::HostId id) {
  const auto found = replay.state().hosts.find(id);
  return found == replay.state().hosts.end() ? "" : found->second.name;
}

json job_json(const Replay& replay, const jobs::JobEntry& entry) {
  const jobs::Job* job = core_job(replay, entry.job);
  json object = {{"job", entry.job.value}, {"name", entry.name}, {"submitted", entry.submitted}};
  if (job == nullptr) return object;
  object["state"] = jobs::state_name(job->state);
  object["reason"] = job->reason;
  object["generation"] = job->table.generation.value;
  object["step"] = steps_of(replay, *job);
  if (job->saves.durable.exists()) object["durable_step"] = job->saves.durable.steps;
  object["restarts_used"] = job->restarts_used;
  if (job->ended()) object["exit_code"] = job->outcome->exit_code;
  object["ranks"] = json::array();
  for (const auto& rank : job->ranks) {
    object["ranks"].push_back({{"rank", rank.id.rank.value},
                               {"state", jobs::state_name(rank.state)},
                               {"host", host_name(replay, rank.host)},
                               {"starts", rank.starts}});
  }
  return object;
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

void print_status(const Replay& replay, const jobs::JobEntry& entry, const jobs::Job& job) {
  fmt::print("job {} ({}): {}\n  {}\n", entry.job.value, entry.name, jobs::state_name(job.state),
             job.reason);
  fmt::print("  submitted {}, generation {}, step {}, {} of {} restarts used\n",
             clock_text(entry.submitted), job.table.generation.value, steps_of(replay, job),
             job.restarts_used, job.spec.restarts);
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
  const Usage usage = {"ringmaster jobs [--json]", "Lists this user's jobs, ended ones as well.",
                       "ringmaster jobs"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto replay = read_all();
  if (!replay) return fail(as_json, replay.error(), "ringmaster up starts a coordinator");
  const auto entries = replay->journal().read_jobs();
  if (!entries) return fail(as_json, entries.error());
  if (!as_json)
    fmt::print("{:>4}  {:<20} {:<10} {:>6}  {}\n", "job", "name", "state", "step", "reason");
  for (const jobs::JobEntry& entry : *entries) {
    if (as_json) {
      fmt::print("{}\n", job_json(*replay, entry).dump());
      continue;
    }
    const jobs::Job* job = core_job(*replay, entry.job);
    if (job == nullptr) continue;
    fmt::print("{:>4}  {:<20} {:<10} {:>6}  {}\n", entry.job.value, entry.name,
               jobs::state_name(job->state), steps_of(*replay, *job), job->reason);
  }
  return 0;
}

int run_status(const Arguments& arguments) {
  const auto words =
      read_job_words("ringmaster status JOB [--json]", "Tells how a job is doing and why.",
                     "ringmaster status 3", arguments);
  if (!words.read.run) return words.read.exit_code;
  const auto replay = read_all();
  if (!replay) return fail(words.json, replay.error(), "ringmaster up starts a coordinator");
  const auto entry = replay->find_job(words.read.words.front());
  if (!entry) return fail(words.json, entry.error(), "ringmaster jobs lists them");
  const jobs::Job* job = core_job(*replay, entry->job);
  if (job == nullptr) return fail(words.json, {Errc::corrupt, "the journal lacks the job"});
  if (words.json) {
    fmt::print("{}\n", job_json(*replay, *entry).dump());
  } else {
    print_status(*replay, *entry, *job);
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
      fmt::print("{}\n", object.dump());
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
  std::vector<Replay::Told> all;
  const auto replay = read_all(&all);
  if (!replay) return fail(words.json, replay.error(), "ringmaster up starts a coordinator");
  const auto entry = replay->find_job(words.read.words.front());
  if (!entry) return fail(words.json, entry.error(), "ringmaster jobs lists them");
  const auto print = [&](double wall, const char* name, const std::string& text, bool decision) {
    if (words.json) {
      const json object = {{"time", wall}, {decision ? "action" : "event", name}, {"reason", text}};
      fmt::print("{}\n", object.dump());
    } else {
      fmt::print("{}  {}{}\n", clock_text(wall), decision ? "  -> " : "", text);
    }
  };
  for (const Replay::Told& told : all) {
    bool concerns = job_of(told.event) == entry->job;
    for (const jobs::Action& action : told.actions) {
      concerns = concerns || job_of(action) == entry->job;
    }
    if (!concerns) continue;
    if (job_of(told.event) == entry->job || job_of(told.event) == jobs::JobId{}) {
      print(told.wall, jobs::event_name(told.event), told.text, false);
    }
    for (std::size_t i = 0; i < told.actions.size(); ++i) {
      const jobs::JobId job = job_of(told.actions[i]);
      if (job != entry->job && job != jobs::JobId{}) continue;
      print(told.wall, jobs::action_name(told.actions[i]), told.action_texts[i], true);
    }
  }
  return 0;
}

int run_explain(const Arguments& arguments) {
  const auto words = read_job_words("ringmaster explain JOB [--json]",
                                    "Tells why a job waits, moved, healed or ended.",
                                    "ringmaster explain 3", arguments);
  if (!words.read.run) return words.read.exit_code;
  std::vector<Replay::Told> all;
  const auto replay = read_all(&all);
  if (!replay) return fail(words.json, replay.error(), "ringmaster up starts a coordinator");
  const auto entry = replay->find_job(words.read.words.front());
  if (!entry) return fail(words.json, entry.error(), "ringmaster jobs lists them");
  for (const Replay::Told& told : all) {
    for (const jobs::Action& action : told.actions) {
      const auto* report = std::get_if<jobs::Report>(&action);
      if (report == nullptr || report->job != entry->job) continue;
      if (words.json) {
        fmt::print("{}\n", json{{"time", told.wall}, {"reason", report->text}}.dump());
      } else {
        fmt::print("{}  {}\n", clock_text(told.wall), report->text);
      }
    }
  }
  const jobs::Job* job = core_job(*replay, entry->job);
  if (job == nullptr) return fail(words.json, {Errc::corrupt, "the journal lacks the job"});
  if (words.json) {
    fmt::print("{}\n",
               json{{"state", jobs::state_name(job->state)}, {"reason", job->reason}}.dump());
  } else {
    fmt::print("now: {}: {}\n", jobs::state_name(job->state), job->reason);
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
  if (!entry->state.empty()) tell_of_missing(logs);
  return 0;
}

}  // namespace ringmaster::launcher

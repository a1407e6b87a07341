// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster submit`: gives a job to the coordinator, and may follow it to its end.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/whole_number.h"
#include "jobs/spec/amount.h"
#include "jobs/spec/job_file.h"
#include "launcher/commands/command.h"
#include "launcher/control/ask.h"
#include "launcher/control/follow.h"

namespace ringmaster::launcher {

namespace {

constexpr std::int64_t kFaultStepsMax = 1'000'000'000'000;

/// "kill:1@200" or "reclaim:2@500:10s": the host of rank 2 gets a notice of 10 s.
Result<wire::Drill> read_drill(const std::string& text) {
  const Error wrong{Errc::invalid,
                    fmt::format("--drill {}: it takes kill:RANK@STEP, as in kill:1@200, or "
                                "reclaim:RANK@STEP:NOTICE, as in reclaim:2@500:10s",
                                text)};
  wire::Drill drill;
  const auto at = text.find('@');
  const bool reclaim = text.starts_with("reclaim:");
  if (at == std::string::npos || (!reclaim && !text.starts_with("kill:"))) return wrong;
  const std::string rank = text.substr(text.find(':') + 1, at - text.find(':') - 1);
  std::string steps = text.substr(at + 1);
  if (reclaim) {
    const auto colon = steps.find(':');
    if (colon == std::string::npos) return wrong;
    const auto notice = jobs::parse_duration(steps.substr(colon + 1));
    if (!notice || notice->count() <= 0) return wrong;
    drill.set_notice_ns(notice->count());
    steps.resize(colon);
  }
  std::int64_t numbers[2] = {-1, -1};
  int index = 0;
  for (const std::string* word : std::array<const std::string*, 2>{&rank, &steps}) {
    if (!read_whole(*word, &numbers[index])) return wrong;
    ++index;
  }
  if (numbers[0] < 0 || numbers[1] < 1 || numbers[1] > kFaultStepsMax) return wrong;
  drill.set_rank(numbers[0]);
  drill.set_steps(numbers[1]);
  return drill;
}

int fail_spec(bool json, const jobs::SpecError& error) {
  if (!json) return fail(false, error.as_error(), "", kExitUsage);
  const nlohmann::json object = {{"error",
                                  {{"code", "invalid"},
                                   {"message", error.message()},
                                   {"hint", error.hint},
                                   {"file", error.file},
                                   {"line", error.place.line},
                                   {"column", error.place.column}}}};
  fmt::print(stderr, "{}\n", object.dump());
  return kExitUsage;
}

}  // namespace

int run_submit(const Arguments& arguments) {
  bool follows = false, dry_run = false, json = false;
  std::vector<std::string> drills;
  const Flags flags = {
      {"-f,--follow", &follows, "", "show output and events until the job ends, exit as it does"},
      {"--dry-run", &dry_run, "", "print the spec with all defaults; nothing is started"},
      {"--drill", &drills, "FAULT",
       "kill:RANK@STEP kills a rank; reclaim:RANK@STEP:NOTICE takes its host back"},
      {"--json", &json, "", "print the job's number as JSON"},
  };
  const Usage usage = {"ringmaster submit SPEC [options]",
                       "Gives a job to the coordinator (ringmaster up), which keeps it alive.",
                       "ringmaster submit examples/fashion-mnist.yaml --follow", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() != 1) {
    return fail(json, {Errc::invalid, "which spec?"}, "ringmaster submit --help", kExitUsage);
  }
  const std::string& path = read.words.front();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fail(json, errno_error(errno, path), "", kExitUsage);
  const auto spec = jobs::parse_job_file(text.str(), path);
  if (!spec) return fail_spec(json, spec.error());
  if (dry_run) {
    fmt::print("{}", jobs::effective_text(*spec));
    return 0;
  }
  wire::FromClient question;
  auto* submit = question.mutable_submit();
  submit->set_file(path);
  submit->set_text(text.str());
  submit->set_working_directory(std::filesystem::current_path().string());
  for (const std::string& word : drills) {
    auto drill = read_drill(word);
    if (drill && drill->rank() >= spec->spec.ranks_max) {
      drill = Error{Errc::invalid, fmt::format("--drill {}: there is no rank {}, they are 0 to {}",
                                               word, drill->rank(), spec->spec.ranks_max - 1)};
    }
    if (!drill) return fail(json, drill.error(), "", kExitUsage);
    *submit->add_drills() = *drill;
  }
  const StateHome home = StateHome::from_environment();
  const auto answer = ask(home, question);
  if (!answer) return fail(json, answer.error(), "ringmaster up starts one");
  if (answer->has_failed()) {
    return fail(json, {Errc::invalid, answer->failed().message()}, answer->failed().hint());
  }
  const std::int64_t job = answer->done().job();
  if (json) fmt::print("{}\n", nlohmann::json{{"job", job}, {"name", spec->spec.name}}.dump());
  if (!json) fmt::print("job {} ({}) is submitted\n", job, spec->spec.name);
  std::fflush(stdout);
  if (!follows) return 0;
  auto replay = Replay::open(home);
  if (!replay) return fail(json, replay.error());
  const auto entry = replay->find_job(fmt::format("{}", job));
  if (!entry) return fail(json, entry.error());
  const auto ended = follow(home, *replay, *entry);
  return ended ? *ended : fail(json, ended.error());
}

}  // namespace ringmaster::launcher

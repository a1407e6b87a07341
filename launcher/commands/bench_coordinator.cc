// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench coordinator`: what a decision and a restart cost a coordinator that has seen
// many jobs end.
//
// Two claims: the core decides as fast after 10,000 jobs as after one, and a coordinator is back as
// soon. The first is measured in this process; the second with a real coordinator that is killed
// and started again on a journal that this command has filled.
#include <fmt/format.h>

#include <thread>

#include "jobs/coordinator/journal.h"
#include "launcher/commands/bench_results.h"
#include "launcher/commands/command.h"
#include "launcher/commands/coordinator_load.h"
#include "launcher/control/ask.h"
#include "launcher/control/replay.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kStarts = std::chrono::minutes(5);
constexpr Duration kBenchLook = std::chrono::milliseconds(1);
constexpr int kBatches = 20;
constexpr std::size_t kCompactions = 10;
constexpr Duration kBatch = std::chrono::milliseconds(20);

struct CoordinatorBench {
  std::int64_t ended_max = 10'000;
  std::int64_t restarts = 5;
  bool json = false;
};

void print(const CoordinatorBench& settings, const BenchLine& line) {
  if (settings.json) {
    fmt::print("{}\n", line_json(line));
  } else {
    std::string text;
    for (const auto& [name, value] : line.numbers) text += fmt::format("{} {} ", value, name);
    fmt::print("  {:<14} {:<22} p50 {:>12.1f}  min {:>12.1f}  max {:>12.1f} {}\n", line.metric,
               text, line.spread.p50, line.spread.min, line.spread.max, line.unit);
  }
  std::fflush(stdout);
}

/// Events a second of a core in which so many jobs have ended and so many heal in turn.
void measure_steps(const CoordinatorBench& settings, std::int64_t ended, std::int64_t running) {
  jobs::Core core;
  CoordinatorLoad load(
      core, [&](Time now, const jobs::Event& event) { static_cast<void>(core.step(now, event)); });
  load.add_host();
  for (std::int64_t i = 0; i < ended; ++i) load.finish(load.start_job());
  std::vector<jobs::JobId> jobs;
  for (std::int64_t i = 0; i < running; ++i) jobs.push_back(load.start_job());
  std::vector<double> rates;
  std::size_t next = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    const Time start = read_clock();
    std::int64_t events = 0;
    while (read_clock() - start < kBatch) {
      load.heal(jobs[next++ % jobs.size()]);
      events += CoordinatorLoad::kHealEvents;
    }
    rates.push_back(static_cast<double>(events) / to_seconds(read_clock() - start));
  }
  print(settings, {"coordinator",
                   "steps",
                   "1/s",
                   {{"ended", ended}, {"running", running}},
                   {},
                   spread_of(std::move(rates))});
}

/// Fills the journal with lives of jobs that have ended, as a coordinator does: the times of its
/// writes, in milliseconds.
Result<std::vector<double>> fill(const StateHome& home, std::int64_t ended) {
  auto journal = jobs::Journal::open(home.file("journal.db"), jobs::Journal::Mode::write);
  if (!journal) return journal.error();
  std::vector<double> writes;
  Result<void> written = {};
  std::int64_t events = 0;
  jobs::Core core;
  CoordinatorLoad load(core, [&](Time now, const jobs::Event& event) {
    const jobs::Decided decided = jobs::decide(core, now, 0, event);
    if (!written) return;
    const auto* submitted = std::get_if<jobs::JobSubmitted>(&event);
    const Time start = read_clock();
    if (submitted != nullptr) {
      jobs::JobEntry entry;
      entry.job = submitted->job;
      entry.name = submitted->spec.name;
      written = (*journal)->append_job(entry, decided);
    } else {
      written = (*journal)->append(decided);
      writes.push_back(to_milliseconds(read_clock() - start));
    }
    if (!written || ++events % jobs::kEventsBetweenSnapshots != 0) return;
    written = (*journal)->compact(core);
  });
  load.add_host();
  for (std::int64_t i = 0; i < ended && written; ++i) load.finish(load.start_job());
  load.lose_host();
  if (!written) return written.error();
  return writes;
}

/// The pause that a snapshot makes while so many jobs run and heal.
Result<void> measure_compaction(const CoordinatorBench& settings, std::int64_t running) {
  const auto folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  auto journal = jobs::Journal::open(folder->file("journal.db"), jobs::Journal::Mode::write);
  if (!journal) return journal.error();
  Result<void> written = {};
  std::int64_t events = 0;
  jobs::Core core;
  CoordinatorLoad load(core, [&](Time now, const jobs::Event& event) {
    const jobs::Decided decided = jobs::decide(core, now, 0, event);
    if (written) written = (*journal)->append(decided);
    ++events;
  });
  load.add_host();
  std::vector<jobs::JobId> jobs;
  for (std::int64_t i = 0; i < running; ++i) jobs.push_back(load.start_job());
  std::vector<double> pauses;
  std::size_t next = 0;
  while (written && pauses.size() < kCompactions) {
    const std::int64_t end = events + jobs::kEventsBetweenSnapshots;
    while (events < end) load.heal(jobs[next++ % jobs.size()]);
    const Time start = read_clock();
    if (written) written = (*journal)->compact(core);
    pauses.push_back(to_milliseconds(read_clock() - start));
  }
  if (!written) return written;
  print(settings,
        {"coordinator", "compaction", "ms", {{"running", running}}, {}, spread_of(pauses)});
  return {};
}

/// Milliseconds from the start of a coordinator to its first answer.
Result<double> start_once(const StateHome& home, const std::string& log) {
  const auto self = this_program();
  if (!self) return self.error();
  const Time start = read_clock();
  auto program = Program::start({*self, "serve", "--home", home.path()}, log);
  if (!program) return program.error();
  wire::FromClient question;
  question.mutable_ping();
  while (read_clock() < start + kStarts) {
    if (coordinator_runs(home) && ask(home, question, std::chrono::milliseconds(500))) {
      const double took = to_milliseconds(read_clock() - start);
      program->kill();
      return took;
    }
    const auto ended = program->wait(kBenchLook);
    if (!ended) return ended.error();
    if (*ended) return ended_badly("ringmaster serve", **ended, log);
  }
  return Error{Errc::timed_out, "the coordinator does not answer"};
}

Result<void> measure_restart(const CoordinatorBench& settings, std::int64_t ended) {
  const auto folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const StateHome home(folder->file("home"));
  if (auto prepared = home.prepare(); !prepared) return prepared;
  const auto filled = fill(home, ended);
  if (!filled) return filled.error();
  std::vector<double> replays, restarts;
  for (std::int64_t i = 0; i < settings.restarts; ++i) {
    auto took = start_once(home, folder->file("log"));
    if (!took) return took.error();
    restarts.push_back(*took);
    const Time start = read_clock();
    auto replay = Replay::open(home);
    if (!replay) return replay.error();
    if (auto read = replay->next(); !read) return read.error();
    replays.push_back(to_milliseconds(read_clock() - start));
  }
  print(settings, {"coordinator", "write", "ms", {{"ended", ended}}, {}, spread_of(*filled)});
  print(settings, {"coordinator", "replay", "ms", {{"ended", ended}}, {}, spread_of(replays)});
  print(settings, {"coordinator", "restart", "ms", {{"ended", ended}}, {}, spread_of(restarts)});
  return {};
}

}  // namespace

int run_bench_coordinator(const Arguments& arguments) {
  CoordinatorBench s;
  const Flags flags = {
      {"--ended", &s.ended_max, "N", "how many jobs have ended at most", between(10, 1'000'000)},
      {"--restarts", &s.restarts, "N", "how many restarts are timed", between(1, 1000)},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench coordinator [options]",
                       "Times the core's decisions and the coordinator's restart with few and with "
                       "many jobs that have ended.",
                       "ringmaster bench coordinator --ended 10000"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const Interrupts interrupts;
  for (const std::int64_t ended :
       {std::int64_t{1}, s.ended_max / 100, s.ended_max / 10, s.ended_max}) {
    for (const std::int64_t running : {1, 10, 100}) {
      if (Interrupts::came()) return Interrupts::exit_code();
      measure_steps(s, ended, running);
    }
  }
  for (const std::int64_t running : {1, 100, 1000}) {
    const auto measured = measure_compaction(s, running);
    if (Interrupts::came()) return Interrupts::exit_code();
    if (!measured) return fail(s.json, measured.error());
  }
  for (const std::int64_t ended : {s.ended_max / 1000, s.ended_max / 10, s.ended_max}) {
    const auto measured = measure_restart(s, ended);
    if (Interrupts::came()) return Interrupts::exit_code();
    if (!measured) return fail(s.json, measured.error());
  }
  return 0;
}

}  // namespace ringmaster::launcher

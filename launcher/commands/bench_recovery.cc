// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench recovery`: ranks all-reduce without a pause; one after the other is killed at a
// moment that a seed picks, and the time runs until the survivors, and then the whole world with
// the replacement, have finished an all-reduce again.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <functional>

#include "base/random.h"
#include "launcher/commands/bench_results.h"
#include "launcher/commands/command.h"
#include "launcher/commands/recovery_job.h"
#include "launcher/commands/recovery_log.h"
#include "launcher/commands/training_gap.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kRecoveryLook = std::chrono::milliseconds(2);  // between looks at the log
constexpr Duration kPatience = std::chrono::seconds(30);          // for any one thing to happen
constexpr Duration kTrainingPatience = std::chrono::minutes(10);
constexpr double kSurvivorsBarMs = 50, kHostBarMs = 300, kReplacementBarMs = 1000;
constexpr std::int64_t kStepsBetweenDrills = 1500;  // a replacement is in long before the next kill

struct RecoveryBench {
  std::int64_t ranks = 4, kills = 20, training_kills = 5, seed = 1;
  std::string via = "ringrun", lose = "rank";
  std::int64_t hosts = 2;
  bool json = false;

  int hosts_used() const { return via == "coordinator" ? static_cast<int>(hosts) : 0; }
  double survivors_bar_ms() const { return lose == "host" ? kHostBarMs : kSurvivorsBarMs; }
};

struct Recovery {
  int rank = 0;
  double survivors_ms = 0, replacement_ms = 0;
};

/// The running job and what its ranks wrote so far.
class Drill {
 public:
  Drill(const RecoveryBench& settings, const TemporaryFolder& folder)
      : settings_(settings), folder_(folder), world_(static_cast<int>(settings.ranks)) {}

  Result<void> start() {
    log_.reset(::open(log_path().c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!log_.valid()) return errno_error(errno, fmt::format("open {}", log_path()));
    auto job = RecoveryJob::start({.ranks = world_,
                                   .hosts = settings_.hosts_used(),
                                   .restarts = settings_.ranks * settings_.kills + 10,
                                   .log = log_path()},
                                  folder_);
    if (!job) return job.error();
    job_ = std::move(*job);
    return await("all ranks to start", [&] { return whole(0).has_value(); });
  }

  /// Kills a rank of the whole world, or a host, and times what follows.
  Result<Recovery> kill_one(Random& random) {
    const std::int64_t generation = *whole(0);
    // The kill shall hit at any phase of the ranks' work, not always just behind a join.
    const Duration phase(static_cast<std::int64_t>(50'000'000 + random.below(100'000'000)));
    if (auto passed = job_->let_run(phase); !passed) return passed.error();
    const int rank = static_cast<int>(random.below(static_cast<std::uint64_t>(world_)));
    std::vector<int> processes;
    for (int number = 0; number < world_; ++number) {
      const auto pid = log_so_far_.pid_of(number, generation);
      if (!pid) return Error{Errc::corrupt, fmt::format("rank {} is not in the log", number)};
      processes.push_back(*pid);
    }
    std::set<int> lost = {rank};
    const Time killed = read_clock();
    if (settings_.lose == "host") {
      const auto dead = job_->kill_host_of(rank, processes);
      if (!dead) return dead.error();
      lost = *dead;
    } else if (::kill(processes[static_cast<std::size_t>(rank)], SIGKILL) != 0) {
      return errno_error(errno, fmt::format("kill rank {}", rank));
    }
    auto waited = await("the survivors to go on", [&] {
      return log_so_far_.survivors_went_on(world_, lost, generation).has_value();
    });
    if (!waited) return waited.error();
    waited = await("the replacement to join", [&] { return whole(generation).has_value(); });
    if (!waited) return waited.error();
    const Time went_on = *log_so_far_.survivors_went_on(world_, lost, generation);
    const Time replaced = log_so_far_.completed(*whole(generation));
    return Recovery{rank, to_milliseconds(went_on - killed), to_milliseconds(replaced - killed)};
  }

  /// Lets the ranks end by themselves; the job must succeed.
  Result<void> finish() {
    std::ofstream(log_path() + ".stop").flush();
    return job_->finish(kPatience);
  }

 private:
  std::string log_path() const { return folder_.file("reduces"); }
  std::optional<std::int64_t> whole(std::int64_t after) const {
    return log_so_far_.whole_generation(world_, after);
  }

  /// Reads on in the log until `there`.
  Result<void> await(const char* what, const std::function<bool()>& there) {
    const Time deadline = read_clock() + kPatience;
    for (;;) {
      if (auto grown = read_on(); !grown) return grown;
      if (there()) return {};
      if (read_clock() > deadline) {
        return Error{Errc::timed_out,
                     fmt::format("waited {:.0f} s for {}", to_seconds(kPatience), what)};
      }
      if (auto passed = job_->let_run(kRecoveryLook); !passed) return passed;
    }
  }

  Result<void> read_on() {
    char buffer[4096];
    for (;;) {
      const ssize_t size = ::read(log_.get(), buffer, sizeof buffer);
      if (size < 0) return errno_error(errno, "read the ranks' log");
      if (size == 0) return {};
      if (!log_so_far_.append({buffer, static_cast<std::size_t>(size)})) {
        return Error{Errc::corrupt, "the ranks' log is damaged"};
      }
    }
  }

  const RecoveryBench& settings_;
  const TemporaryFolder& folder_;
  int world_;
  FileDescriptor log_ = {};
  RecoveryLog log_so_far_ = {};
  std::unique_ptr<RecoveryJob> job_ = {};
};

Result<std::vector<Recovery>> measure_ring(const RecoveryBench& settings,
                                           const TemporaryFolder& folder) {
  Drill drill(settings, folder);
  if (auto started = drill.start(); !started) return started.error();
  Random random(static_cast<std::uint64_t>(settings.seed));
  std::vector<Recovery> recoveries;
  for (std::int64_t i = 0; i < settings.kills; ++i) {
    const auto recovery = drill.kill_one(random);
    if (!recovery) return recovery.error();
    fmt::print(
        stderr, "kill {} of {}: rank {}, survivors after {:.1f} ms, replacement after {:.0f} ms\n",
        i + 1, settings.kills, recovery->rank, recovery->survivors_ms, recovery->replacement_ms);
    recoveries.push_back(*recovery);
  }
  if (auto finished = drill.finish(); !finished) return finished.error();
  return recoveries;
}

/// Trains with kills and tells the pauses; empty when none are wanted.
Result<std::vector<double>> measure_training(const RecoveryBench& settings,
                                             const TemporaryFolder& folder) {
  if (settings.training_kills == 0) return std::vector<double>();
  const auto ringrun = find_beside("ringrun");
  const auto trainer = find_beside("ringmaster-train");
  if (!ringrun) return ringrun.error();
  if (!trainer) return trainer.error();
  fmt::print(stderr, "training with {} kills\n", settings.training_kills);
  std::vector<std::string> command = {*ringrun,
                                      "-np",
                                      fmt::format("{}", settings.ranks),
                                      "--elastic",
                                      fmt::format("1:{}", settings.ranks),
                                      "--restarts",
                                      fmt::format("{}", settings.training_kills + 5)};
  for (std::int64_t i = 1; i <= settings.training_kills; ++i) {
    // Ranks in turn: the newest one may still be on its way when training is fast.
    command.push_back("--drill");
    command.push_back(fmt::format("kill:{}@{}", i % settings.ranks, i * kStepsBetweenDrills));
  }
  const std::string file = folder.file("metrics.jsonl");
  const std::int64_t steps = (settings.training_kills + 1) * kStepsBetweenDrills;
  for (const std::string& word :
       {*trainer, std::string("--model"), std::string("mlp"), std::string("--epochs"),
        std::string("1000"), std::string("--steps"), fmt::format("{}", steps),
        std::string("--metrics"), file}) {
    command.push_back(word);
  }
  auto ran = run_program(std::move(command), folder.file("training"), kTrainingPatience);
  if (!ran) return ran.error();
  const auto metrics = read_metrics(file);
  if (!metrics) return metrics.error();
  auto gaps = training_gaps_ms(*metrics);
  if (gaps && gaps->empty()) return Error{Errc::corrupt, "no kill hit the training run"};
  return gaps;
}

struct Figure {
  const char* metric;
  const char* words;
  Spread spread;
};

void print_figures(const RecoveryBench& s, const std::vector<Figure>& figures,
                   const std::vector<Bar>& bars) {
  if (s.json) {
    for (const Figure& figure : figures) {
      fmt::print("{}\n",
                 line_json({"recovery",
                            figure.metric,
                            "ms",
                            {{"ranks", s.ranks}, {"seed", s.seed}, {"hosts", s.hosts_used()}},
                            {{"via", s.via}, {"lose", s.lose}},
                            figure.spread}));
    }
    fmt::print("{}\n", bars_json("recovery", bars));
    return;
  }
  fmt::print("\n{:<46} {:>6} {:>9} {:>9} {:>9}\n", fmt::format("{} ranks, milliseconds", s.ranks),
             "kills", "p50", "p95", "max");
  for (const Figure& figure : figures) {
    fmt::print("  {:<44} {:>6} {:>9.1f} {:>9.1f} {:>9.1f}\n", figure.words, figure.spread.samples,
               figure.spread.p50, figure.spread.p95, figure.spread.max);
  }
  fmt::print("\n{}", bars_text(bars, " ms"));
}

int report_recoveries(const RecoveryBench& s, const std::vector<Recovery>& recoveries,
                      const std::vector<double>& gaps) {
  std::vector<double> survivors, replacements;
  for (const Recovery& recovery : recoveries) {
    survivors.push_back(recovery.survivors_ms);
    replacements.push_back(recovery.replacement_ms);
  }
  std::vector<Figure> figures = {
      {"survivors", "kill to the survivors' next all-reduce", spread_of(survivors)},
      {"replacement", "kill to the whole world's next all-reduce", spread_of(replacements)}};
  if (!gaps.empty()) {
    figures.push_back({"training-gap", "pause that training saw beyond a step", spread_of(gaps)});
  }
  const std::vector<Bar> bars = {{"survivors p95", figures[0].spread.p95, s.survivors_bar_ms()},
                                 {"replacement p95", figures[1].spread.p95, kReplacementBarMs}};
  print_figures(s, figures, bars);
  return all_met(bars) ? 0 : kExitFailed;
}

}  // namespace

int run_bench_recovery(const Arguments& arguments) {
  RecoveryBench s;
  const Flags flags = {
      {"--ranks", &s.ranks, "N", "how many ranks", between(2, 64)},
      {"--kills", &s.kills, "N", "how many kills are timed", between(1, 10000)},
      {"--training-kills", &s.training_kills, "N", "kills in a training run", between(0, 100)},
      {"--seed", &s.seed, "S", "picks the ranks and the moments", between(0, 1e15)},
      {"--via", &s.via, "NAME", "who keeps the job", one_of({"ringrun", "coordinator"})},
      {"--hosts", &s.hosts, "N", "local hosts of the coordinator", between(1, 16)},
      {"--lose", &s.lose, "WHAT", "a rank, or its host with agent and ranks",
       one_of({"rank", "host"})},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench recovery [options]",
                       "Kills ranks that all-reduce without a pause, and times how soon the "
                       "survivors and then the whole world with the replacement go on.",
                       "ringmaster bench recovery --ranks 4 --kills 20"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (s.lose == "host" && (s.via != "coordinator" || s.hosts < 2)) {
    return fail(s.json, {Errc::invalid, "--lose host needs --via coordinator and 2 hosts"}, "",
                kExitUsage);
  }
  if (s.via == "coordinator") s.training_kills = 0;  // the gap of training: ringmaster report
  const Interrupts interrupts;
  const auto folder = TemporaryFolder::make();
  if (!folder) return fail(s.json, folder.error());
  const auto recoveries = measure_ring(s, *folder);
  const auto gaps = recoveries ? measure_training(s, *folder) : recoveries.error();
  if (Interrupts::came()) return Interrupts::exit_code();
  if (!recoveries) return fail(s.json, recoveries.error());
  if (!gaps) return fail(s.json, gaps.error());
  return report_recoveries(s, *recoveries, *gaps);
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench launch`: from the start of a launcher to its end, with N ranks of a program
// that ends at once; beside it the launchers of MPICH and Open MPI where they are installed, and a
// bare loop that starts and awaits as many processes, which no launcher can go below.
//
// Launchers run in turns, so that the drift of the machine hits all. A run that fails or hangs is
// counted and has no time.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "launcher/commands/bench_results.h"
#include "launcher/commands/command.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kLaunchPatience = std::chrono::seconds(60);
constexpr double kLaunchBar = 1.0;  // of the fastest peer's time

struct LaunchBench {
  std::string ranks = "2,64,256";
  std::int64_t repeats = 20;
  std::string program = "true";
  bool json = false;
};

struct Launcher {
  std::string name;
  std::vector<std::string> words = {};  // before the number of ranks; none: the bare loop
  std::vector<double> ms = {};
  std::int64_t failed = 0, hung = 0;
  bool skip = false;  // it hung: it would only take the others' time
};

std::vector<Launcher> find_launchers(const std::string& ringrun) {
  std::vector<Launcher> all = {{"ringrun", {ringrun, "-np"}}, {"loop"}};
  const auto installed = [](const char* name) {
    return std::filesystem::exists(std::string("/usr/bin/") + name);
  };
  if (installed("mpiexec.hydra")) all.push_back({"hydra", {"mpiexec.hydra", "-np"}});
  if (installed("mpirun.openmpi")) {
    all.push_back({"openmpi", {"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np"}});
  }
  return all;
}

/// Starts so many processes and waits for each; no output, no tie, no care.
Result<void> run_loop(int ranks, const std::string& program, const std::string& log) {
  std::vector<Program> started;
  for (int rank = 0; rank < ranks; ++rank) {
    auto one = Program::start({program}, log);
    if (!one) return one.error();
    started.push_back(std::move(*one));
  }
  for (Program& one : started) {
    const auto status = one.wait(kLaunchPatience);
    if (!status) return status.error();
    if (!status->has_value()) return Error{Errc::timed_out, "a process of the loop hangs"};
  }
  return {};
}

Result<void> run_launcher(Launcher& launcher, int ranks, const LaunchBench& settings,
                          const TemporaryFolder& files) {
  if (launcher.skip) return {};
  std::vector<std::string> command = launcher.words;
  command.push_back(fmt::format("{}", ranks));
  command.push_back(settings.program);
  const std::string log = files.file("log");
  const Time start = read_clock();
  const auto ran = launcher.words.empty() ? run_loop(ranks, settings.program, log)
                                          : run_program(command, log, kLaunchPatience);
  if (Interrupts::came()) return Error{Errc::closed, "interrupted"};
  if (ran) {
    launcher.ms.push_back(to_seconds(read_clock() - start) * 1e3);
  } else if (ran.error().code == Errc::timed_out) {
    ++launcher.hung;
    launcher.skip = true;
  } else {
    ++launcher.failed;
  }
  return {};
}

void print(const LaunchBench& settings, const Launcher& launcher, int ranks) {
  const Spread spread = launcher.ms.empty() ? Spread{} : spread_of(launcher.ms);
  if (settings.json) {
    fmt::print("{}\n",
               line_json({"launch",
                          "whole",
                          "ms",
                          {{"ranks", ranks}, {"failed", launcher.failed}, {"hung", launcher.hung}},
                          {{"launcher", launcher.name}},
                          spread}));
  } else {
    fmt::print("  {:<8} {:>5} ranks  p50 {:>9.1f} ms  min {:>9.1f}  max {:>9.1f}  {} runs",
               launcher.name, ranks, spread.p50, spread.min, spread.max, spread.samples);
    if (launcher.failed + launcher.hung > 0) {
      fmt::print(", {} failed, {} hung", launcher.failed, launcher.hung);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

/// Ours against the fastest peer, as a ratio of medians; nothing without a peer.
std::optional<Bar> bar_of(const std::vector<Launcher>& all, int ranks) {
  std::optional<double> ours, best;
  for (const Launcher& launcher : all) {
    if (launcher.ms.empty() || launcher.name == "loop") continue;
    const double p50 = spread_of(launcher.ms).p50;
    if (launcher.name == "ringrun") {
      ours = p50;
    } else {
      best = std::min(best.value_or(p50), p50);
    }
  }
  if (!ours || !best) return std::nullopt;
  return Bar{fmt::format("{} ranks, ringrun / fastest peer", ranks), *ours / *best, kLaunchBar};
}

}  // namespace

int run_bench_launch(const Arguments& arguments) {
  LaunchBench s;
  const Flags flags = {
      {"--ranks", &s.ranks, "LIST", "numbers of ranks, as in 2,64,256"},
      {"--repeats", &s.repeats, "N", "runs of each launcher", between(1, 1000)},
      {"--program", &s.program, "PATH", "what the ranks run; it should end at once"},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench launch [options]",
                       "Times whole runs of ringrun and of other launchers, with ranks that end at "
                       "once.",
                       "ringmaster bench launch --ranks 2,64 --repeats 20"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto counts = parse_counts("--ranks", s.ranks);
  if (!counts) return fail(s.json, counts.error());
  const auto ringrun = find_beside("ringrun");
  if (!ringrun) return fail(s.json, ringrun.error());
  const auto files = TemporaryFolder::make();
  if (!files) return fail(s.json, files.error());
  const Interrupts interrupts;
  std::vector<Bar> bars;
  for (const int ranks : *counts) {
    auto all = find_launchers(*ringrun);
    for (std::int64_t turn = 0; turn < s.repeats; ++turn) {
      for (Launcher& launcher : all) {
        if (!run_launcher(launcher, ranks, s, *files)) return Interrupts::exit_code();
      }
    }
    for (const Launcher& launcher : all) print(s, launcher, ranks);
    if (all.front().ms.empty()) return fail(s.json, {Errc::closed, "ringrun did not end well"});
    if (auto bar = bar_of(all, ranks)) bars.push_back(std::move(*bar));
  }
  fmt::print("{}", s.json ? bars_json("launch", bars) + "\n" : bars_text(bars, "x"));
  return all_met(bars) ? 0 : 1;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench launch`: from the start of a launcher to its end, or until its output has a
// text, with N ranks of a program; beside it the launchers of MPICH, Open MPI and PyTorch where
// they are installed, and a bare loop that starts and awaits as many processes, which no launcher
// can go below.
//
// Launchers run in turns, so that the drift of the machine hits all; in each turn in another order
// and after a pause, since a run is faster when another one has just ended, and slower while that
// one still clears up. A run that fails or hangs is counted and has no time.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "base/random.h"
#include "launcher/commands/bench_results.h"
#include "launcher/commands/command.h"
#include "launcher/commands/launcher_memory.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kLaunchPatience = std::chrono::seconds(60);
constexpr Duration kOutputLook = std::chrono::milliseconds(2);
constexpr Duration kPause = std::chrono::milliseconds(50);
constexpr double kLaunchBar = 1.0;  // of the fastest peer's time

struct LaunchBench {
  std::string ranks = "2,64,256";
  std::int64_t repeats = 20;
  std::string program = "true", launchers = "ringrun,loop,hydra,openmpi";
  std::string until;
  bool json = false;
  std::vector<std::string> command = {};  // the program's words
};

struct Launcher {
  std::string name;
  std::vector<std::string> words = {};  // before the number of ranks; none: the bare loop
  std::vector<double> ms = {};
  std::int64_t failed = 0, hung = 0;
  double memory = 0;  // MB, with ringrun: resident peaks of its own processes
};

std::vector<std::string> words_of(const std::string& text, char between) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, between);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

/// Those of the wished that are here, ringrun first.
Result<std::vector<Launcher>> find_launchers(const LaunchBench& settings,
                                             const std::string& ringrun) {
  std::vector<Launcher> wished;
  const std::vector<Launcher> known = {
      {"ringrun", {ringrun, "-np"}},
      {"loop"},
      {"hydra", {"mpiexec.hydra", "-np"}},
      {"openmpi", {"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np"}},
      {"torchrun",
       // With its defaults, Debian's torchrun fails: PyTorch 1.13 on Python 3.11.
       {"torchrun", "-r", "2", "-t", "1", "--no_python", "--nproc_per_node"}}};
  for (const std::string& name : words_of(settings.launchers, ',')) {
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const Launcher& one) { return one.name == name; });
    if (at == known.end()) {
      return Error{Errc::invalid, fmt::format("--launchers {}: not ringrun, loop, hydra, openmpi "
                                              "or torchrun",
                                              name)};
    }
    const bool loop = at->words.empty(), ours = name == "ringrun" || loop;
    if (loop && !settings.until.empty()) continue;  // its processes' output is not looked at
    if (ours || std::filesystem::exists("/usr/bin/" + at->words.front())) wished.push_back(*at);
  }
  if (wished.empty() || wished.front().name != "ringrun") {
    return Error{Errc::invalid, "--launchers: begin with ringrun, the others are held against it"};
  }
  return wished;
}

/// Starts so many processes and waits for each; no output, no tie, no care.
Result<void> run_loop(int ranks, const std::vector<std::string>& command, const std::string& log) {
  std::vector<Program> started;
  for (int rank = 0; rank < ranks; ++rank) {
    auto one = Program::start(command, log);
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

std::vector<std::string> command_of(const Launcher& launcher, int ranks,
                                    const LaunchBench& settings) {
  std::vector<std::string> command = launcher.words;
  command.push_back(fmt::format("{}", ranks));
  command.insert(command.end(), settings.command.begin(), settings.command.end());
  return command;
}

bool has_text(const std::string& file, const std::string& text) {
  std::ifstream stream(file);
  std::ostringstream all;
  all << stream.rdbuf();
  return all.str().find(text) != std::string::npos;
}

/// Until its output has the text, then to the end.
Result<Time> run_until(const std::vector<std::string>& command, const std::string& text,
                       const std::string& log) {
  std::filesystem::remove(log);
  auto program = Program::start(command, log);
  if (!program) return program.error();
  std::optional<Time> spoke;
  for (const Time end = read_clock() + kLaunchPatience; read_clock() < end;) {
    const auto status = program->wait(kOutputLook);
    if (!spoke && has_text(log, text)) spoke = read_clock();
    if (!status) return status.error();
    if (!status->has_value()) continue;
    if (**status != 0) return ended_badly(command.front(), **status, log);
    if (!spoke) return Error{Errc::closed, "its output lacks the text"};
    return *spoke;
  }
  return Error{Errc::timed_out, "it hangs"};
}

Result<Time> run_to_end(const Launcher& launcher, int ranks, const LaunchBench& settings,
                        const std::string& log) {
  const auto ran = launcher.words.empty()
                       ? run_loop(ranks, settings.command, log)
                       : run_program(command_of(launcher, ranks, settings), log, kLaunchPatience);
  if (!ran) return ran.error();
  return read_clock();
}

/// The numbers below `count` in some order.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  Random random(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// False when it was interrupted.
bool run_launcher(Launcher& launcher, int ranks, const LaunchBench& settings,
                  const TemporaryFolder& files) {
  if (launcher.hung > 0) return true;  // it would only take the others' time
  const std::string log = files.file("log");
  const Time start = read_clock();
  const auto ended = !settings.until.empty()
                         ? run_until(command_of(launcher, ranks, settings), settings.until, log)
                         : run_to_end(launcher, ranks, settings, log);
  if (Interrupts::came()) return false;
  if (ended) {
    launcher.ms.push_back(to_seconds(*ended - start) * 1e3);
  } else if (ended.error().code == Errc::timed_out) {
    ++launcher.hung;
  } else {
    ++launcher.failed;
  }
  return true;
}

/// One more run of ringrun, to look at its memory; looking takes time, so it is not timed.
void weigh(Launcher& ringrun, int ranks, const LaunchBench& settings,
           const TemporaryFolder& files) {
  auto program = Program::start(command_of(ringrun, ranks, settings), files.file("log"));
  LauncherMemory memory;
  for (const Time end = read_clock() + kLaunchPatience; program && read_clock() < end;) {
    const auto status = program->wait(kMemoryLook);
    if (!status || status->has_value()) break;
    memory.look(program->pid());
  }
  ringrun.memory = memory.megabytes();
}

void print(const LaunchBench& settings, const Launcher& launcher, int ranks) {
  const Spread spread = launcher.ms.empty() ? Spread{} : spread_of(launcher.ms);
  if (settings.json) {
    fmt::print("{}\n", line_json({"launch",
                                  !settings.until.empty() ? "until" : "whole",
                                  "ms",
                                  {{"ranks", ranks},
                                   {"memory_mb", static_cast<std::int64_t>(launcher.memory + 0.5)},
                                   {"failed", launcher.failed},
                                   {"hung", launcher.hung}},
                                  {{"launcher", launcher.name}},
                                  spread}));
  } else {
    fmt::print("  {:<8} {:>5} ranks  p50 {:>9.1f} ms  min {:>9.1f}  max {:>9.1f}  {} runs",
               launcher.name, ranks, spread.p50, spread.min, spread.max, spread.samples);
    if (launcher.memory > 0) fmt::print(", memory {:.0f} MB", launcher.memory);
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
      {"--program", &s.program, "WORDS", "what the ranks run, with spaces between its words"},
      {"--launchers", &s.launchers, "LIST", "ringrun, then loop, hydra, openmpi, torchrun"},
      {"--until", &s.until, "TEXT", "time until the output has this text, not to the end"},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench launch [options]",
                       "Times runs of ringrun and of other launchers.",
                       "ringmaster bench launch --ranks 2,64 --repeats 20"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto counts = parse_counts("--ranks", s.ranks);
  if (!counts) return fail(s.json, counts.error());
  s.command = words_of(s.program, ' ');
  if (s.command.empty()) return fail(s.json, {Errc::invalid, "--program: no program"});
  const auto ringrun = find_beside("ringrun");
  if (!ringrun) return fail(s.json, ringrun.error());
  const auto files = TemporaryFolder::make();
  if (!files) return fail(s.json, files.error());
  const Interrupts interrupts;
  std::vector<Bar> bars;
  for (const int ranks : *counts) {
    auto found = find_launchers(s, *ringrun);
    if (!found) return fail(s.json, found.error());
    auto& all = *found;
    for (std::int64_t turn = 0; turn < s.repeats; ++turn) {
      for (const std::size_t at : shuffled(all.size(), static_cast<std::uint64_t>(turn))) {
        std::this_thread::sleep_for(kPause);
        if (!run_launcher(all[at], ranks, s, *files)) return Interrupts::exit_code();
      }
    }
    weigh(all.front(), ranks, s, *files);
    for (const Launcher& launcher : all) print(s, launcher, ranks);
    if (all.front().ms.empty()) return fail(s.json, {Errc::closed, "ringrun did not end well"});
    if (auto bar = bar_of(all, ranks)) bars.push_back(std::move(*bar));
  }
  fmt::print("{}", s.json ? bars_json("launch", bars) + "\n" : bars_text(bars, "x"));
  return all_met(bars) ? 0 : 1;
}

}  // namespace ringmaster::launcher

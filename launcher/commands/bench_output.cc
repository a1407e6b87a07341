// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench output`: how fast the output of several ranks comes through a launcher into a
// file, with and without tags, and how much memory the launcher takes for it; beside it the
// launchers of MPICH and Open MPI where they are installed.
//
// Launchers run in turns, so that the drift of the machine hits all. A run whose file is short is
// counted as failed; one that hangs is not run again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "launcher/commands/bench_results.h"
#include "launcher/commands/command.h"
#include "launcher/commands/launcher_memory.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kOutputPatience = std::chrono::seconds(20);
constexpr double kUntaggedBar = 0.7;  // of Hydra's rate
constexpr double kTaggedBar = 300;    // MB/s
constexpr double kMemoryBar = 64;     // MB

struct OutputBench {
  std::int64_t ranks = 8, mib = 32, line = 100, block = 65536, repeats = 5;
  bool json = false;
};

struct Writer {
  std::string name;
  bool tags = false;
  std::vector<std::string> words;  // before the number of ranks
  std::vector<double> rates = {};  // MB/s of what the ranks wrote
  double memory = 0;               // MB, the most of all runs
  std::int64_t failed = 0, hung = 0;
};

std::vector<Writer> find_writers(const std::string& ringrun) {
  std::vector<Writer> all = {{"ringrun", false, {ringrun, "-np"}},
                             {"ringrun", true, {ringrun, "--tag-output", "-np"}}};
  const auto installed = [](const char* name) {
    return std::filesystem::exists(std::string("/usr/bin/") + name);
  };
  if (installed("mpiexec.hydra")) {
    all.push_back({"hydra", false, {"mpiexec.hydra", "-np"}});
    all.push_back({"hydra", true, {"mpiexec.hydra", "-prepend-rank", "-np"}});
  }
  if (installed("mpirun.openmpi")) {
    const std::vector<std::string> words = {"mpirun.openmpi", "--allow-run-as-root",
                                            "--oversubscribe"};
    all.push_back({"openmpi", false, words});
    all.push_back({"openmpi", true, words});
    all.back().words.push_back("--tag-output");
    for (auto writer = all.end() - 2; writer != all.end(); ++writer) {
      writer->words.push_back("-np");
    }
  }
  return all;
}

Result<void> run_once(const OutputBench& settings, Writer& writer, const std::string& self,
                      const std::string& log) {
  if (writer.hung > 0) return {};
  std::vector<std::string> command = writer.words;
  for (const std::string& word :
       {fmt::format("{}", settings.ranks), self, std::string("bench"), std::string("output-rank"),
        fmt::format("--mib={}", settings.mib), fmt::format("--line={}", settings.line),
        fmt::format("--block={}", settings.block)}) {
    command.push_back(word);
  }
  std::filesystem::remove(log);
  const Time start = read_clock();
  auto program = Program::start(command, log);
  if (!program) return program.error();
  LauncherMemory memory;
  std::optional<int> status;
  while (!status && read_clock() - start < kOutputPatience) {
    auto ended = program->wait(kMemoryLook);
    if (!ended) return ended.error();
    status = *ended;
    if (!status) memory.look(program->pid());
  }
  const double seconds = to_seconds(read_clock() - start);
  const std::int64_t bytes = (settings.ranks * settings.mib) << 20;
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(log, error));
  if (status != 0 || error || size < bytes) {
    ++(status ? writer.failed : writer.hung);
    return {};
  }
  writer.memory = std::max(writer.memory, memory.megabytes());
  writer.rates.push_back(static_cast<double>(bytes) / 1e6 / seconds);
  return {};
}

void print_writer(const OutputBench& settings, const Writer& writer) {
  const Spread spread = writer.rates.empty() ? Spread{} : spread_of(writer.rates);
  const auto megabytes = static_cast<std::int64_t>(writer.memory + 0.5);
  if (settings.json) {
    const std::vector<std::pair<std::string, std::int64_t>> numbers = {
        {"ranks", settings.ranks}, {"mib", settings.mib},    {"line", settings.line},
        {"block", settings.block}, {"memory_mb", megabytes}, {"failed", writer.failed},
        {"hung", writer.hung}};
    fmt::print("{}\n", line_json({"output",
                                  writer.tags ? "tagged" : "untagged",
                                  "MB/s",
                                  numbers,
                                  {{"launcher", writer.name}},
                                  spread}));
  } else {
    fmt::print("  {:<8} {:<8} p50 {:>7.0f} MB/s  min {:>7.0f}  max {:>7.0f}  memory {:>4} MB",
               writer.name, writer.tags ? "tagged" : "untagged", spread.p50, spread.min, spread.max,
               megabytes);
    if (writer.failed + writer.hung > 0) {
      fmt::print(", {} failed, {} hung", writer.failed, writer.hung);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

std::vector<Bar> bars_of(const std::vector<Writer>& all) {
  std::vector<Bar> bars;
  std::optional<double> untagged, hydra;
  for (const Writer& writer : all) {
    if (writer.rates.empty()) continue;
    const double p50 = spread_of(writer.rates).p50;
    if (writer.name == "hydra" && !writer.tags) hydra = p50;
    if (writer.name != "ringrun") continue;
    if (!writer.tags) untagged = p50;
    if (writer.tags) bars.push_back({"tagged, MB/s", p50, kTaggedBar, true});
    bars.push_back({fmt::format("memory {}, MB", writer.tags ? "tagged" : "untagged"),
                    writer.memory, kMemoryBar});
  }
  if (untagged && hydra) {
    bars.push_back({"untagged, of hydra's rate", *untagged / *hydra, kUntaggedBar, true});
  }
  return bars;
}

}  // namespace

int run_bench_output(const Arguments& arguments) {
  OutputBench s;
  const Flags flags = {
      {"-n,--ranks", &s.ranks, "N", "ranks that write at once", between(1, 1024)},
      {"--mib", &s.mib, "N", "MiB that each rank writes", between(1, 65536)},
      {"--line", &s.line, "N", "bytes of a line", between(16, 65536)},
      {"--block", &s.block, "N", "bytes that a rank writes at once", between(1, 1 << 20)},
      {"--repeats", &s.repeats, "N", "runs of each launcher", between(1, 1000)},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench output [options]",
                       "Times how fast the output of ranks comes through ringrun and other "
                       "launchers into a file.",
                       "ringmaster bench output --ranks 8 --mib 32 --repeats 5"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto ringrun = find_beside("ringrun");
  if (!ringrun) return fail(s.json, ringrun.error());
  const auto self = this_program();
  if (!self) return fail(s.json, self.error());
  const auto files = TemporaryFolder::make();
  if (!files) return fail(s.json, files.error());
  const Interrupts interrupts;
  auto all = find_writers(*ringrun);
  for (std::int64_t turn = 0; turn < s.repeats; ++turn) {
    for (Writer& writer : all) {
      const auto ran = run_once(s, writer, *self, files->file("log"));
      if (Interrupts::came()) return Interrupts::exit_code();
      if (!ran) return fail(s.json, ran.error());
    }
  }
  for (const Writer& writer : all) print_writer(s, writer);
  if (all.front().rates.empty()) return fail(s.json, {Errc::closed, "ringrun did not end well"});
  const auto bars = bars_of(all);
  fmt::print("{}", s.json ? bars_json("output", bars) + "\n" : bars_text(bars, ""));
  return all_met(bars) ? 0 : 1;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench allreduce`: ours and the peers that scripts/bench-peers has built, measured by
// one loop (benchmarks/measure.h) in turns, so that a busy machine is busy for all of them.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/cpus.h"
#include "collectives/bytes.h"
#include "launcher/commands/allreduce_plot.h"
#include "launcher/commands/allreduce_results.h"
#include "launcher/commands/command.h"

namespace ringmaster::launcher {

namespace {

// After so many runs it is clear who is not in the race.
constexpr std::int64_t kRunsBeforeLeavingOut = 2;

struct AllreduceBench {
  std::string ranks = "2,4", memory = "ordinary,allocated", bind = "core";
  std::int64_t least = 4, most = 64 << 20, repeats = 5, budget_ms = 60, hogs = 0;
  std::string peers = "build/peers", svg;
  bool json = false;
};

Result<std::vector<std::string>> parse_memory(const std::string& text) {
  std::vector<std::string> kinds;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word != "ordinary" && word != "allocated" && word != "registered") {
      return Error{Errc::invalid, fmt::format("--memory {}: not ordinary, allocated or registered "
                                              "with commas between them",
                                              text)};
    }
    kinds.push_back(word);
  }
  if (kinds.empty()) return Error{Errc::invalid, "--memory: no kind of memory"};
  return kinds;
}

Result<std::vector<Program>> start_hogs(std::int64_t count, const TemporaryFolder& files) {
  std::vector<Program> hogs;
  for (std::int64_t i = 0; i < count; ++i) {
    auto hog = Program::start({"sh", "-c", "while :; do :; done"}, files.file("hogs"));
    if (!hog) return hog.error();
    hogs.push_back(std::move(*hog));
  }
  return hogs;
}

Result<std::vector<AllreduceRow>> measure_ranks(const AllreduceBench& s, int ranks,
                                                const std::vector<std::string>& memory,
                                                const TemporaryFolder& files) {
  const int cpus = read_cpu_budget();
  const Placement placement = {ranks, cpus, s.bind == "core"};
  auto all = our_contenders(placement, memory);
  if (!all) return all.error();
  auto peers = peer_contenders(s.peers, placement);
  if (!peers) return peers.error();
  all->insert(all->end(), peers->begin(), peers->end());
  const auto stream = measure_stream(std::min(ranks, cpus), files);
  if (!stream) return stream.error();
  const auto hogs = start_hogs(s.hogs, files);
  if (!hogs) return hogs.error();
  for (std::int64_t repeat = 0; repeat < s.repeats; ++repeat) {
    for (Contender& contender : *all) {
      if (contender.left_out) continue;
      fmt::print(stderr, "{} ranks, repeat {} of {}: {}\n", ranks, repeat + 1, s.repeats,
                 contender.ours ? "ours, " + contender.name : contender.name);
      auto ran = run_contender(contender, {s.least, s.most, s.budget_ms}, files, repeat);
      if (!ran) return ran.error();
    }
    if (repeat + 1 == kRunsBeforeLeavingOut) leave_out_the_slow(*all);
  }
  for (const Contender& contender : *all) {
    if (!contender.left_out) continue;
    fmt::print(stderr, "{} ranks: {} was nowhere within twice the fastest peer's time\n", ranks,
               contender.name);
  }
  return allreduce_rows(ranks, *all, {*stream, static_cast<double>(collectives::largest_cache())});
}

int show(const AllreduceBench& s, const std::vector<AllreduceRow>& rows) {
  const auto bars = allreduce_bars(rows);
  if (s.json) {
    for (const BenchLine& line : allreduce_lines(rows)) fmt::print("{}\n", line_json(line));
    fmt::print("{}\n", bars_json("allreduce", bars));
  } else {
    fmt::print("{}\n{}", allreduce_table(rows), bars_text(bars, ""));
  }
  if (!s.svg.empty()) {
    const auto written = write_svg(s.svg, allreduce_svg(rows));
    if (!written) return fail(s.json, written.error());
  }
  return all_met(bars) ? 0 : kExitFailed;
}

}  // namespace

int run_bench_allreduce(const Arguments& arguments) {
  AllreduceBench s;
  const Flags flags = {
      {"--ranks", &s.ranks, "LIST", "how many ranks, one after the other"},
      {"--memory", &s.memory, "LIST", "ours: ordinary, allocated, registered"},
      {"--least", &s.least, "BYTES", "the smallest array", between(4, 1e9)},
      {"--most", &s.most, "BYTES", "the largest; powers of two between them", between(4, 4e9)},
      {"--repeats", &s.repeats, "N", "how often each library is run", between(1, 1000)},
      {"--budget", &s.budget_ms, "MS", "time for one size in one run", between(1, 60000)},
      {"--bind", &s.bind, "PLACE", "ranks to cores in turns, ours and the peers'",
       one_of({"core", "none"})},
      {"--hogs", &s.hogs, "N", "foreign processes that burn a processor each", between(0, 64)},
      {"--peers", &s.peers, "FOLDER", "what scripts/bench-peers has built"},
      {"-o,--svg", &s.svg, "FILE", "write the plot"},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench allreduce [options]",
                       "Times all-reduces of float32 sums by size, in turns with Open MPI, MPICH "
                       "and Gloo as scripts/bench-peers has built them.",
                       "ringmaster bench allreduce --ranks 2,4 --repeats 5 -o allreduce.svg"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto ranks = parse_counts("--ranks", s.ranks);
  if (!ranks) return fail(s.json, ranks.error(), "", kExitUsage);
  const auto memory = parse_memory(s.memory);
  if (!memory) return fail(s.json, memory.error(), "", kExitUsage);
  const Interrupts interrupts;
  const auto files = TemporaryFolder::make();
  if (!files) return fail(s.json, files.error());
  std::vector<AllreduceRow> rows;
  for (const int count : *ranks) {
    const auto measured = measure_ranks(s, count, *memory, *files);
    if (!measured && Interrupts::came()) return Interrupts::exit_code();
    if (!measured) return fail(s.json, measured.error());
    rows.insert(rows.end(), measured->begin(), measured->end());
  }
  return show(s, rows);
}

}  // namespace ringmaster::launcher

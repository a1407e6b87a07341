// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench allreduce`: ours and the peers that scripts/bench-peers has built, measured by
// one program (benchmarks/allreduce.c) in turns, so that a busy machine is busy for all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/cpus.h"
#include "launcher/commands/bench_results.h"
#include "launcher/commands/command.h"
#include "launcher/commands/program.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kMeasurePatience = std::chrono::minutes(5);

struct AllreduceBench {
  std::string ranks = "2,4";
  std::int64_t least = 4, most = 64 << 20, repeats = 5, budget_ms = 60;
  std::string peers = "build/peers";
  bool json = false;
};

/// One way to run all-reduces, and what it has measured: median us by bytes, a value a repeat.
struct Contender {
  std::string name;
  std::vector<std::string> command;  // up to the program's arguments
  std::map<std::int64_t, std::vector<double>> medians = {};
};

/// Each peer as it comes, and with the flags that are better on one host.
std::vector<Contender> peers_of(const std::string& folder, int ranks, int cpus) {
  const auto there = [&](const char* name) { return std::filesystem::exists(folder + "/" + name); };
  const std::string n = fmt::format("{}", ranks);
  std::vector<Contender> all;
  if (there("allreduce-openmpi")) {
    std::vector<std::string> plain = {"mpirun.openmpi", "--allow-run-as-root", "-np", n};
    if (ranks > cpus) plain.push_back("--oversubscribe");
    auto tuned = plain;
    for (const char* word : {"--mca", "pml", "ob1", "--mca", "btl", "self,vader"}) {
      tuned.push_back(word);
    }
    if (ranks > cpus) {
      for (const char* word : {"--mca", "mpi_yield_when_idle", "1"}) tuned.push_back(word);
    } else {
      for (const char* word : {"--bind-to", "core"}) tuned.push_back(word);
    }
    for (auto* command : {&plain, &tuned}) command->push_back(folder + "/allreduce-openmpi");
    all.push_back({"openmpi", plain});
    all.push_back({"openmpi tuned", tuned});
  }
  if (there("allreduce-mpich")) {
    all.push_back({"mpich", {"mpirun.mpich", "-np", n, folder + "/allreduce-mpich"}});
  }
  return all;
}

/// Runs it once; what it prints is added to its medians.
Result<void> run_once(Contender& contender, const AllreduceBench& s, const TemporaryFolder& files) {
  std::vector<std::string> command = contender.command;
  for (const std::int64_t number : {s.least, s.most, s.budget_ms}) {
    command.push_back(fmt::format("{}", number));
  }
  const std::string log = files.file("log");
  std::filesystem::remove(log);
  auto ran = run_program(std::move(command), log, kMeasurePatience);
  if (!ran) return Error{ran.error().code, contender.name + ": " + ran.error().message};
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) continue;
    contender.medians[object.value("bytes", std::int64_t{0})].push_back(
        object.value("median_us", 0.0));
  }
  if (contender.medians.empty()) {
    return Error{Errc::corrupt, contender.name + ": it has measured nothing"};
  }
  return {};
}

struct Row {
  std::int64_t ranks, bytes;
  Spread ours;
  std::string peer;      // the fastest, "" without any
  Spread theirs, ratio;  // theirs by ours, in one repeat
};

Row row_of(std::int64_t ranks, std::int64_t bytes, const std::vector<Contender>& all) {
  const std::vector<double>& ours = all.front().medians.at(bytes);
  Row row{ranks, bytes, spread_of(ours), "", {}, {}};
  const Contender* best = nullptr;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto found = all[i].medians.find(bytes);
    if (found == all[i].medians.end() || found->second.size() != ours.size()) continue;
    const Spread spread = spread_of(found->second);
    if (best != nullptr && spread.p50 >= row.theirs.p50) continue;
    best = &all[i];
    row.theirs = spread;
  }
  if (best == nullptr) return row;
  row.peer = best->name;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ratios.push_back(best->medians.at(bytes)[i] / ours[i]);
  }
  row.ratio = spread_of(ratios);
  return row;
}

Result<std::vector<Row>> measure_ranks(const AllreduceBench& s, int ranks,
                                       const TemporaryFolder& files) {
  const auto ringrun = find_beside("ringrun");
  const auto program = find_beside("allreduce");
  if (!ringrun) return ringrun.error();
  if (!program) return program.error();
  std::vector<Contender> all = {
      {"ringmaster", {*ringrun, "-np", fmt::format("{}", ranks), *program}}};
  for (Contender& peer : peers_of(s.peers, ranks, read_cpu_budget())) {
    all.push_back(std::move(peer));
  }
  for (std::int64_t repeat = 0; repeat < s.repeats; ++repeat) {
    for (Contender& contender : all) {
      fmt::print(stderr, "{} ranks, repeat {} of {}: {}\n", ranks, repeat + 1, s.repeats,
                 contender.name);
      if (auto ran = run_once(contender, s, files); !ran) return ran.error();
    }
  }
  std::vector<Row> rows;
  for (const auto& [bytes, medians] : all.front().medians)
    rows.push_back(row_of(ranks, bytes, all));
  return rows;
}

void print_row(const Row& row) {
  fmt::print("{:>5} {:>10} {:>11.2f}", row.ranks, row.bytes, row.ours.p50);
  if (row.peer.empty()) {
    fmt::print("\n");
    return;
  }
  fmt::print(" {:>11.2f} {:>8.2f} {:>7.2f} {:>7.2f}  {}\n", row.theirs.p50, row.ratio.p50,
             row.ratio.min, row.ratio.max, row.peer);
}

void print_lines(const Row& row) {
  BenchLine line{"allreduce", "time", "us"};
  line.numbers = {{"ranks", row.ranks}, {"bytes", row.bytes}};
  line.texts = {{"library", "ringmaster"}};
  line.spread = row.ours;
  fmt::print("{}\n", line_json(line));
  if (row.peer.empty()) return;
  line.texts = {{"library", row.peer}};
  line.spread = row.theirs;
  fmt::print("{}\n", line_json(line));
  line.metric = "speed-up";
  line.unit = "x";
  line.spread = row.ratio;
  fmt::print("{}\n", line_json(line));
}

}  // namespace

int run_bench_allreduce(const Arguments& arguments) {
  AllreduceBench s;
  const Flags flags = {
      {"--ranks", &s.ranks, "LIST", "how many ranks, one after the other"},
      {"--least", &s.least, "BYTES", "the smallest array", between(4, 1e9)},
      {"--most", &s.most, "BYTES", "the largest; powers of two between them", between(4, 4e9)},
      {"--repeats", &s.repeats, "N", "how often each library is run", between(1, 1000)},
      {"--budget", &s.budget_ms, "MS", "time for one size in one run", between(1, 60000)},
      {"--peers", &s.peers, "FOLDER", "what scripts/bench-peers has built"},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench allreduce [options]",
                       "Times all-reduces of float32 sums by size, in turns with the MPI libraries "
                       "that scripts/bench-peers has found.",
                       "ringmaster bench allreduce --ranks 2,4 --repeats 5"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto ranks = parse_counts("--ranks", s.ranks);
  if (!ranks) return fail(s.json, ranks.error(), "", kExitUsage);
  const Interrupts interrupts;
  const auto files = TemporaryFolder::make();
  if (!files) return fail(s.json, files.error());
  if (!s.json) {
    fmt::print("ranks      bytes     ours us    peer us  speed-up  least    most  fastest peer\n");
  }
  for (const int count : *ranks) {
    const auto rows = measure_ranks(s, count, *files);
    if (!rows && Interrupts::came()) return Interrupts::exit_code();
    if (!rows) return fail(s.json, rows.error());
    double logs = 0;
    std::size_t compared = 0;
    for (const Row& row : *rows) {
      s.json ? print_lines(row) : print_row(row);
      if (row.peer.empty() || row.bytes < 65536) continue;
      logs += std::log(row.ratio.p50);
      ++compared;
    }
    if (!s.json && compared > 0) {
      fmt::print("{} ranks, from 64 KiB: {:.2f} x the fastest peer (geometric mean)\n", count,
                 std::exp(logs / static_cast<double>(compared)));
    }
  }
  return 0;
}

}  // namespace ringmaster::launcher

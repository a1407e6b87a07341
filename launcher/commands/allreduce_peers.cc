// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/allreduce_peers.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "launcher/commands/bench_results.h"

namespace ringmaster::launcher {

namespace {

// MPICH with more ranks than processors takes a minute for what others do in a second.
constexpr Duration kMeasurePatience = std::chrono::minutes(10);

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// As it comes, and with the flags that are better on one host. Those bind ranks or leave them free
/// as ours are; its own default is its own.
void add_openmpi(const std::string& program, const Placement& placement,
                 std::vector<Contender>& all) {
  const bool crowded = placement.ranks > placement.cpus;
  Words plain = {"mpirun.openmpi", "--allow-run-as-root", "-np",
                 fmt::format("{}", placement.ranks)};
  if (crowded) plain.push_back("--oversubscribe");
  Words tuned = plain + Words{"--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--bind-to"};
  tuned.push_back(!placement.bound ? "none" : crowded ? "core:overload-allowed" : "core");
  if (crowded) tuned = tuned + Words{"--mca", "mpi_yield_when_idle", "1"};
  const Words han = tuned + Words{"--mca", "coll_han_priority", "100"};
  all.push_back({.name = "openmpi", .command = plain + Words{program}});
  all.push_back({.name = "openmpi tuned", .command = tuned + Words{program}});
  all.push_back({.name = "openmpi han", .command = han + Words{program}});
}

Words ringrun_words(const std::string& ringrun, const Placement& placement) {
  return {ringrun, "-np", fmt::format("{}", placement.ranks), "--bind",
          placement.bound ? "core" : "none"};
}

}  // namespace

Result<std::vector<Contender>> our_contenders(const Placement& placement,
                                              const std::vector<std::string>& memories) {
  const auto ringrun = find_beside("ringrun");
  if (!ringrun) return ringrun.error();
  const auto program = find_beside("allreduce");
  if (!program) return program.error();
  std::vector<Contender> all;
  for (const std::string& memory : memories) {
    all.push_back({.name = memory,
                   .command = ringrun_words(*ringrun, placement) + Words{*program},
                   .last = memory,
                   .ours = true});
  }
  return all;
}

Result<std::vector<Contender>> peer_contenders(const std::string& folder,
                                               const Placement& placement) {
  const auto path = [&](const char* name) { return folder + "/allreduce-" + name; };
  const auto there = [&](const char* name) { return std::filesystem::exists(path(name)); };
  std::vector<Contender> all;
  if (there("openmpi")) add_openmpi(path("openmpi"), placement, all);
  if (there("mpich")) {
    const Words plain = {"mpirun.mpich",
                         "-np",
                         fmt::format("{}", placement.ranks),
                         "-bind-to",
                         placement.bound ? "core" : "none",
                         path("mpich")};
    all.push_back({.name = "mpich", .command = plain});
    all.push_back({.name = "mpich without CMA",
                   .command = Words{"env", "MPIR_CVAR_CH4_CMA_ENABLE=0"} + plain});
  }
  if (there("gloo")) {
    const auto ringrun = find_beside("ringrun");
    if (!ringrun) return ringrun.error();
    all.push_back({.name = "gloo",
                   .command = ringrun_words(*ringrun, placement) + Words{path("gloo")},
                   .needs_folder = true});
  }
  return all;
}

Result<void> run_contender(Contender& contender, const Sizes& sizes, const TemporaryFolder& files,
                           std::int64_t run) {
  Words command = contender.command;
  for (const std::int64_t number : {sizes.least, sizes.most, sizes.budget_ms}) {
    command.push_back(fmt::format("{}", number));
  }
  if (!contender.last.empty()) command.push_back(contender.last);
  if (contender.needs_folder) {
    const std::string folder = files.file(fmt::format("{}-{}", contender.name, run));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    command.push_back(folder);
  }
  const std::string log = files.file("log");
  std::filesystem::remove(log);
  auto ran = run_program(std::move(command), log, kMeasurePatience);
  if (!ran) return Error{ran.error().code, contender.name + ": " + ran.error().message};
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("bytes")) continue;
    auto& times = contender.times[object.value("bytes", std::int64_t{0})];
    times.medians.push_back(object.value("median_us", 0.0));
    times.p99s.push_back(object.value("p99_us", 0.0));
  }
  if (contender.times.empty()) {
    return Error{Errc::corrupt, contender.name + ": it has measured nothing"};
  }
  return {};
}

Result<double> measure_stream(int processes, const TemporaryFolder& files) {
  const auto ours = our_contenders({processes, processes, true}, {"stream"});
  if (!ours) return ours.error();
  Words command = ours->front().command;
  command.push_back("stream");
  const std::string log = files.file("stream");
  std::filesystem::remove(log);
  auto ran = run_program(std::move(command), log, kMeasurePatience);
  if (!ran) return ran.error();
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_object()) return object.value("stream_bytes_per_s", 0.0);
  }
  return Error{Errc::corrupt, "the memory's speed was not told"};
}

void leave_out_the_slow(std::vector<Contender>& all) {
  std::map<std::int64_t, double> fastest;
  for (const Contender& one : all) {
    if (one.ours) continue;
    for (const auto& [bytes, times] : one.times) {
      const auto [at, first] = fastest.try_emplace(bytes, median_of(times.medians));
      if (!first) at->second = std::min(at->second, median_of(times.medians));
    }
  }
  for (Contender& one : all) {
    bool near = one.ours;
    for (const auto& [bytes, times] : one.times) {
      near = near || median_of(times.medians) <= 2 * fastest.at(bytes);
    }
    one.left_out = !near;
  }
}

}  // namespace ringmaster::launcher

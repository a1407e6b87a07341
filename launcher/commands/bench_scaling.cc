// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench scaling`: training with more ranks against one rank that communicates with
// nobody. Repeats are interleaved (1, 2, 4, 1, 2, 4, ...), so that the machine's drift hits all.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>

#include "launcher/commands/command.h"
#include "launcher/commands/scaling_plot.h"
#include "launcher/process/program.h"

namespace ringmaster::launcher {

namespace {

constexpr Duration kRunPatience = std::chrono::minutes(10);  // of one training run

struct ScalingBench {
  std::string ranks = "1,2,4", model = "cnn", svg = {};
  std::int64_t repeats = 7, steps = 120, warm_up = 20;
  double gate = 0.85;
  bool json = false;
};

Result<std::vector<int>> parse_ranks(std::string_view text) {
  const auto ranks = parse_counts("--ranks", text);
  if (!ranks) return ranks;
  const bool grows =
      std::adjacent_find(ranks->begin(), ranks->end(), std::greater_equal<>()) == ranks->end();
  if (grows && ranks->front() == 1) return ranks;
  return Error{Errc::invalid,
               fmt::format("--ranks {}: not growing numbers from 1 on, as in 1,2,4", text)};
}

/// The cores that this process may use.
int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}

class Bench {
 public:
  Bench(const ScalingBench& settings, std::vector<int> ranks, TemporaryFolder folder)
      : settings_(settings), ranks_(std::move(ranks)), folder_(std::move(folder)) {}

  Result<Scaling> measure() {
    Scaling scaling;
    scaling.model = settings_.model;
    scaling.cores = usable_cores();
    scaling.steps = settings_.steps;
    std::vector<std::vector<double>> rates(ranks_.size()), copies(ranks_.size());
    for (std::int64_t repeat = 0; repeat < settings_.repeats; ++repeat) {
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        const auto metrics = train(ranks_[i]);
        if (!metrics) return metrics.error();
        const auto rate = rate_after(*metrics, settings_.warm_up);
        if (!rate) return rate.error();
        rates[i].push_back(*rate);
        scaling.kernel = metrics->start.kernel;
        scaling.batch = metrics->start.batch;
        progress(repeat, ranks_[i], *rate);
        const auto alone = ranks_[i] == 1 ? rate : train_copies(ranks_[i], scaling.batch);
        if (!alone) return alone.error();
        copies[i].push_back(*alone);
      }
    }
    scaling.points = scaling_points(ranks_, rates, copies);
    return scaling;
  }

 private:
  /// One training run. A single rank is the program alone: no launcher, no collective.
  Result<Metrics> train(int ranks) {
    const auto trainer = find_beside("ringmaster-train");
    if (!trainer) return trainer.error();
    std::vector<std::string> command;
    if (ranks > 1) {
      const auto ringrun = find_beside("ringrun");
      if (!ringrun) return ringrun.error();
      command = {*ringrun, "-np", fmt::format("{}", ranks)};
    }
    const std::string file = folder_.file("metrics.jsonl");
    const std::vector<std::string> training = trainer_command(*trainer, file);
    command.insert(command.end(), training.begin(), training.end());
    auto ran = run_program(std::move(command), folder_.file("log"), kRunPatience);
    if (!ran) return ran.error();
    return read_metrics(file);
  }

  /// The sum of the rates of as many single trainings at once, which split the batch.
  Result<double> train_copies(int count, std::int64_t batch) {
    const auto trainer = find_beside("ringmaster-train");
    if (!trainer) return trainer.error();
    const std::string log = folder_.file("log");
    const auto file = [&](int copy) { return folder_.file(fmt::format("copy-{}.jsonl", copy)); };
    std::vector<Program> copies;
    for (int copy = 0; copy < count; ++copy) {
      auto command = trainer_command(*trainer, file(copy));
      command.push_back("--batch");
      command.push_back(fmt::format("{}", std::max<std::int64_t>(1, batch / count)));
      auto started = Program::start(std::move(command), log);
      if (!started) return started.error();
      copies.push_back(std::move(*started));
    }
    double sum = 0;
    for (int copy = 0; copy < count; ++copy) {
      const auto status = copies[static_cast<std::size_t>(copy)].wait(kRunPatience);
      if (!status) return status.error();
      if (!status->has_value()) return Error{Errc::timed_out, "a training did not end"};
      if (**status != 0) return ended_badly("ringmaster-train", **status, log);
      const auto metrics = read_metrics(file(copy));
      if (!metrics) return metrics.error();
      const auto rate = rate_after(*metrics, settings_.warm_up);
      if (!rate) return rate.error();
      sum += *rate;
    }
    return sum;
  }

  std::vector<std::string> trainer_command(const std::string& trainer,
                                           const std::string& metrics) const {
    return {trainer,
            "--model",
            settings_.model,
            "--epochs",
            "1000",
            "--steps",
            fmt::format("{}", settings_.steps),
            "--metrics",
            metrics};
  }

  void progress(std::int64_t repeat, int ranks, double rate) const {
    fmt::print(stderr, "repeat {} of {}: {} {}, {:.0f} images/s\n", repeat + 1, settings_.repeats,
               ranks, ranks == 1 ? "rank" : "ranks", rate);
  }

  const ScalingBench& settings_;
  std::vector<int> ranks_;
  TemporaryFolder folder_;
};

void print_json(const Scaling& scaling, const std::vector<Bar>& bars) {
  for (const ScalingPoint& point : scaling.points) {
    BenchLine line{"scaling", "throughput", "images/s"};
    line.numbers = {{"ranks", point.ranks},
                    {"batch", scaling.batch},
                    {"steps", scaling.steps},
                    {"cores", scaling.cores}};
    line.texts = {{"model", scaling.model}, {"kernel", scaling.kernel}};
    line.spread = point.rate;
    fmt::print("{}\n", line_json(line));
    line.metric = "speed-up";
    line.unit = "x";
    line.spread = point.speed_up;
    fmt::print("{}\n", line_json(line));
    line.metric = "ceiling";
    line.spread = point.ceiling;
    fmt::print("{}\n", line_json(line));
  }
  fmt::print("{}\n", bars_json("scaling", bars));
}

}  // namespace

int run_bench_scaling(const Arguments& arguments) {
  ScalingBench s;
  const Flags flags = {
      {"--ranks", &s.ranks, "LIST", "how many ranks, growing from 1"},
      {"--model", &s.model, "NAME", "which network to train", one_of({"mlp", "cnn"})},
      {"--repeats", &s.repeats, "N", "how often each is run", between(1, 1000)},
      {"--steps", &s.steps, "N", "steps of each run", between(2, 1e6)},
      {"--warm-up", &s.warm_up, "N", "first steps that are not timed", between(1, 1e6)},
      {"--gate", &s.gate, "PART", "the least efficiency, where each rank has a core",
       between(0, 2)},
      {"-o,--svg", &s.svg, "FILE", "write the plot"},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench scaling [options]",
                       "Trains with more and more ranks at the same global batch and tells images "
                       "per second, speed-up and efficiency against one rank alone.",
                       "ringmaster bench scaling --ranks 1,2 --repeats 7 -o scaling.svg"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const auto ranks = parse_ranks(s.ranks);
  if (!ranks) return fail(s.json, ranks.error(), "", kExitUsage);
  if (s.warm_up >= s.steps) {
    return fail(s.json, {Errc::invalid, "--warm-up leaves no step to time"}, "raise --steps",
                kExitUsage);
  }
  const Interrupts interrupts;
  auto folder = TemporaryFolder::make();
  if (!folder) return fail(s.json, folder.error());
  const auto scaling = Bench(s, *ranks, std::move(*folder)).measure();
  if (!scaling && Interrupts::came()) return Interrupts::exit_code();
  if (!scaling) return fail(s.json, scaling.error());
  const auto bars = scaling_bars(*scaling, s.gate);
  if (s.json) {
    print_json(*scaling, bars);
  } else {
    fmt::print("{}\n{}", scaling_table(*scaling), bars_text(bars, ""));
  }
  if (!s.svg.empty()) {
    if (auto written = write_svg(s.svg, scaling_svg(*scaling)); !written)
      return fail(s.json, written.error());
  }
  return all_met(bars) ? 0 : kExitFailed;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "base/check.h"
#include "worker/training/ledger.h"

namespace ringmaster::launcher {

std::string change_text(const Change& change) {
  const char* what = change.kind == Change::Kind::lost ? "lost" : "joined";
  if (change.ranks.empty()) return fmt::format("{} {}", change.count, what);
  return fmt::format("rank{} {} {}", change.ranks.size() == 1 ? "" : "s",
                     fmt::join(change.ranks, ", "), what);
}

std::vector<StepEvent> history_of(std::vector<StepEvent> steps) {
  std::sort(steps.begin(), steps.end(), [](const StepEvent& a, const StepEvent& b) {
    return std::tie(a.step, b.generation, a.rank) < std::tie(b.step, a.generation, b.rank);
  });
  steps.erase(std::unique(steps.begin(), steps.end(),
                          [](const StepEvent& a, const StepEvent& b) { return a.step == b.step; }),
              steps.end());
  return steps;
}

double quantile(const std::vector<double>& sorted, double part) {
  CHECK(!sorted.empty());
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

namespace {

std::vector<int> missing(const std::vector<int>& from, const std::vector<int>& in) {
  const std::set<int> present(in.begin(), in.end());
  std::vector<int> gone;
  std::copy_if(from.begin(), from.end(), std::back_inserter(gone),
               [&](int rank) { return !present.contains(rank); });
  std::sort(gone.begin(), gone.end());
  return gone;
}

/// The losses and joins that made `next` out of `before`. A rank that was lost and replaced in one
/// generation stands in both member lists: then only the counts are known.
void add_changes(const GenerationEvent& before, const GenerationEvent& next, Summary& summary) {
  const double seconds = next.time - summary.start.time;
  Change change{
      .step = next.steps, .heal_ms = next.heal_ms, .world = next.world, .reason = next.reason};
  if (next.lost > 0) {
    change.kind = Change::Kind::lost;
    change.seconds = seconds - next.heal_ms / 1e3;
    change.ranks = missing(before.members, next.members);
    change.count = next.lost;
    if (static_cast<int>(change.ranks.size()) != next.lost) change.ranks.clear();
    summary.losses += next.lost;
    summary.heals_ms.push_back(next.heal_ms);
    summary.changes.push_back(change);
  }
  if (next.joined > 0) {
    change.kind = Change::Kind::joined;
    change.seconds = seconds;
    change.ranks = missing(next.members, before.members);
    change.count = next.joined;
    if (static_cast<int>(change.ranks.size()) != next.joined) change.ranks.clear();
    summary.joins += next.joined;
    summary.changes.push_back(change);
  }
}

/// Steps that the state held when the first generation began: from a checkpoint of an earlier run.
std::int64_t first_step(const Metrics& metrics) {
  for (const GenerationEvent& e : metrics.generations) {
    if (e.generation == 1) return e.steps;
  }
  return 0;
}

Verdict judge_ledger(const Metrics& metrics, Summary& summary) {
  std::vector<training::StepRecord> records;
  for (const StepEvent& e : metrics.steps) {
    records.push_back({e.step, e.epoch, e.generation, e.first, e.images, e.counted, e.rank});
  }
  const std::int64_t from = first_step(metrics);
  const std::int64_t wanted = summary.finished          ? metrics.start.steps
                              : summary.history.empty() ? 0
                                                        : summary.history.back().step + 1;
  const auto checked = training::check_ledger(std::move(records), std::max(wanted, from),
                                              metrics.start.train_images, from);
  if (!checked) return {false, checked.error().message};
  summary.repeated = checked->repeated;
  std::string text = from == 0 ? "" : fmt::format("from the checkpoint of step {} on: ", from);
  text += fmt::format(
      "{} steps, each once in the history; {} images, each counted exactly once an epoch",
      number_text(static_cast<double>(checked->steps)),
      number_text(static_cast<double>(checked->images)));
  if (checked->repeated > 0) {
    text += fmt::format(
        "; {} finished again after a loss, the older result dropped",
        checked->repeated == 1 ? "1 step was" : fmt::format("{} steps were", checked->repeated));
  }
  return {true, text};
}

/// Without those of ranks that were at the end once, and were lost with all others before it was
/// certain: the run has gone back since.
std::vector<ResultEvent> results_of(const Metrics& metrics, const std::vector<StepEvent>& history) {
  std::vector<ResultEvent> results = metrics.results;
  std::erase_if(results, [&](const ResultEvent& result) {
    const bool done_again = !history.empty() && history.back().generation > result.generation;
    return done_again ||
           std::any_of(metrics.generations.begin(), metrics.generations.end(),
                       [&](const GenerationEvent& e) {
                         return e.generation > result.generation && e.steps < result.steps;
                       });
  });
  return results;
}

Verdict judge_weights(const std::vector<ResultEvent>& results) {
  if (results.empty()) return {true, "the run has not finished: no weights to compare"};
  std::set<std::string> hashes;
  for (const ResultEvent& e : results) hashes.insert(e.weights);
  if (hashes.size() == 1) {
    return {true, fmt::format("bitwise equal on {} {} ({})", results.size(),
                              results.size() == 1 ? "rank" : "ranks", *hashes.begin())};
  }
  return {false, fmt::format("{} different sets of weights on {} ranks: {}", hashes.size(),
                             results.size(), fmt::join(hashes, ", "))};
}

/// The end of the run: from the result of the lowest rank, else as far as the records go.
void take_end(const std::vector<ResultEvent>& results, Summary& summary) {
  const auto result =
      std::min_element(results.begin(), results.end(),
                       [](const ResultEvent& a, const ResultEvent& b) { return a.rank < b.rank; });
  summary.finished = result != results.end();
  if (summary.finished) summary.accuracy = result->accuracy;
  if (summary.history.empty()) return;
  summary.steps = static_cast<std::int64_t>(summary.history.size());
  summary.seconds = summary.history.back().time - summary.start.time;
  double images = 0;
  for (const StepEvent& e : summary.history) images += static_cast<double>(e.images);
  // Over the whole run, healing included: what the user waited for.
  if (summary.seconds > 0) summary.images_per_s = images / summary.seconds;
}

}  // namespace

Summary summarize(const Metrics& metrics) {
  Summary summary;
  summary.start = metrics.start;
  summary.notes = metrics.notes;
  summary.history = history_of(metrics.steps);
  const auto results = results_of(metrics, summary.history);
  take_end(results, summary);
  summary.generations = metrics.generations;
  std::sort(summary.generations.begin(), summary.generations.end(),
            [](const GenerationEvent& a, const GenerationEvent& b) {
              return a.generation < b.generation;
            });
  for (std::size_t i = 1; i < summary.generations.size(); ++i) {
    add_changes(summary.generations[i - 1], summary.generations[i], summary);
  }
  std::sort(summary.heals_ms.begin(), summary.heals_ms.end());
  if (!summary.finished) {
    summary.notes.push_back(fmt::format("the run has not finished: {} of {} steps", summary.steps,
                                        summary.start.steps));
  }
  summary.ledger = judge_ledger(metrics, summary);
  summary.weights = judge_weights(results);
  return summary;
}

std::vector<Point> loss_line(const Summary& summary) {
  std::vector<Point> line;
  for (const StepEvent& e : summary.history) line.push_back({e.time - summary.start.time, e.loss});
  return line;
}

std::vector<Point> mean_rate_line(const Summary& summary, std::size_t reach) {
  const std::vector<StepEvent>& steps = summary.history;
  std::vector<Point> line;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const std::size_t before = i - std::min(i, reach + 1);
    const std::size_t last = std::min(i + reach, steps.size() - 1);
    double images = 0;
    for (std::size_t j = before + 1; j <= last; ++j) images += static_cast<double>(steps[j].images);
    const double seconds = steps[last].time - steps[before].time;
    if (seconds > 0) line.push_back({steps[i].time - summary.start.time, images / seconds});
  }
  return line;
}

std::vector<Point> world_line(const Summary& summary) {
  std::vector<Point> line;
  for (const GenerationEvent& e : summary.generations) {
    line.push_back({std::max(0.0, e.time - summary.start.time), static_cast<double>(e.world)});
  }
  if (!line.empty()) line.push_back({std::max(line.back().x, summary.seconds), line.back().y});
  return line;
}

std::size_t smoothing_reach(const Summary& summary) {
  return std::clamp(summary.history.size() / 60, std::size_t{1}, std::size_t{50});
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// What a run's records mean together: its history, who was lost and joined when, how fast the ring
// healed, and whether every image was counted once and all ranks ended with the same weights.
//
// One value that the page, the terminal and --json all show, so that they cannot disagree.
//
// Times are seconds since the run's `start` line. The moment of a loss is the time of the
// generation that healed it, less the healing time.
//
// Pure. Not here: the rules of the ledger (worker/training/ledger.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/report/chart.h"
#include "launcher/report/metrics.h"

namespace ringmaster::launcher {

/// Something that changed the membership.
struct Change {
  enum class Kind { lost, joined };
  Kind kind = Kind::lost;
  double seconds = 0;
  std::int64_t step = 0;        // the first step of the new generation
  std::vector<int> ranks = {};  // empty when the records do not tell
  int count = 0;
  double heal_ms = 0;
  int world = 0;  // after it
  std::string reason = {};
};

/// "rank 2 lost", "ranks 1, 3 joined", "2 lost".
std::string change_text(const Change& change);

struct Verdict {
  bool good = false;
  std::string text = {};
};

struct Summary {
  StartEvent start = {};
  bool finished = false;
  std::optional<double> accuracy = {};
  std::int64_t steps = 0;  // in the history
  double seconds = 0;
  double images_per_s = 0;
  std::vector<StepEvent> history = {};
  std::vector<GenerationEvent> generations = {};
  std::vector<Change> changes = {};
  int losses = 0, joins = 0;
  std::vector<double> heals_ms = {};  // of losses, sorted
  Verdict ledger = {};
  Verdict weights = {};
  std::int64_t repeated = 0;
  std::vector<std::string> notes = {};
  bool good() const { return ledger.good && weights.good; }
};

Summary summarize(const Metrics& metrics);

/// For each step the record with the highest generation, of the lowest rank, in order of steps.
std::vector<StepEvent> history_of(std::vector<StepEvent> steps);

/// Lines over time, for charts.
std::vector<Point> loss_line(const Summary& summary);
/// The rate over `reach` steps to each side: their images by their time. The mean of the steps' own
/// rates would count quick steps too much, and leave the pauses between steps out.
std::vector<Point> mean_rate_line(const Summary& summary, std::size_t reach);
std::vector<Point> world_line(const Summary& summary);

/// How many steps to each side the smoothed lines take in.
std::size_t smoothing_reach(const Summary& summary);

/// The value below which `part` of the sorted values lie, between neighbours in proportion.
double quantile(const std::vector<double>& sorted, double part);

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/training_gap.h"

#include <algorithm>

#include "launcher/report/summary.h"

namespace ringmaster::launcher {

Result<std::vector<double>> training_gaps_ms(const Metrics& metrics) {
  const auto history = history_of(metrics.steps);
  if (history.size() < 2) {
    return Error{Errc::corrupt, "the training run has no two steps: no gap can be told"};
  }
  std::vector<double> step_ms;
  for (std::size_t i = 1; i < history.size(); ++i) {
    step_ms.push_back((history[i].time - history[i - 1].time) * 1e3);
  }
  std::vector<double> sorted = step_ms;
  std::sort(sorted.begin(), sorted.end());
  const double usual = quantile(sorted, 0.5);
  std::vector<double> gaps;
  for (const GenerationEvent& generation : metrics.generations) {
    if (generation.lost == 0) continue;
    const auto first = std::find_if(history.begin() + 1, history.end(), [&](const StepEvent& e) {
      return e.generation >= generation.generation;
    });
    if (first == history.end()) continue;
    gaps.push_back(step_ms[static_cast<std::size_t>(first - history.begin() - 1)] - usual);
  }
  return gaps;
}

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/dependencies.h"

#include <algorithm>

#include "base/check.h"

namespace ringmaster::collectives::schedules {

namespace {

/// Who touched a block.
struct Touched {
  int written_by = -1;
  std::vector<int> read_by = {};  // since then
};

void sort_once(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

Ordered order(Steps steps, int blocks) {
  Ordered result;
  std::vector<Touched> touched(static_cast<std::size_t>(blocks));
  std::vector<int> tokens_in;
  for (int index = 0; index < static_cast<int>(steps.size()); ++index) {
    const Step& step = steps[static_cast<std::size_t>(index)];
    CHECK(step.first >= 0 && step.blocks >= 0 && step.first + step.blocks <= blocks);
    const bool reads = step.action == Action::send;
    std::vector<int> after;
    if (step.blocks == 0 && reads) after = tokens_in;
    if (step.blocks == 0 && !reads) tokens_in.push_back(index);
    int fresh = 0;
    for (int b = step.first; b < step.first + step.blocks; ++b) {
      Touched& block = touched[static_cast<std::size_t>(b)];
      if (block.written_by >= 0) after.push_back(block.written_by);
      if (block.written_by < 0) ++fresh;
      if (reads) {
        block.read_by.push_back(index);
        continue;
      }
      after.insert(after.end(), block.read_by.begin(), block.read_by.end());
      block = {index};
    }
    sort_once(after);
    result.after.push_back(std::move(after));
    result.fresh.push_back(fresh > 0);
    result.mixed = result.mixed || (fresh > 0 && fresh < step.blocks);
  }
  result.steps = std::move(steps);
  return result;
}

}  // namespace ringmaster::collectives::schedules

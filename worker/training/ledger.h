// SPDX-License-Identifier: Apache-2.0
//
// Checks, from the step records of a metrics file, that a run used every sample exactly once an
// epoch, whatever was lost on the way.
//
// The one idea: the history that leads to the final weights is, for each step, the record with the
// highest generation. A step that was finished and then lost with its only rank stands in the file
// as well; adding up all records would count its samples twice, and trusting only the last lines
// would not notice a step that nobody did.
//
// Pure. Not here: reading the file, and what the fields mean (docs/metrics.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace ringmaster::training {

/// One `step` line of a metrics file.
struct StepRecord {
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t generation = 0;
  std::int64_t first = 0;    // the step's batch is places first to first + images - 1
  std::int64_t images = 0;   // of the epoch's permutation
  std::int64_t counted = 0;  // places that the summed gradient really held
  int rank = 0;              // who wrote the line
};

struct LedgerSummary {
  std::int64_t steps = 0;        // steps in the history
  std::int64_t epochs = 0;       // epochs that are complete
  std::int64_t images = 0;       // samples used, over all epochs
  std::int64_t generations = 0;  // generations that have a step in the history
  std::int64_t repeated = 0;     // steps that were finished in an older generation too
};

/// The history's summary, or an Error (Errc::corrupt) that names the first step that breaks a rule.
/// `steps` is how many the run had to finish; the last epoch may be cut short by it. `from`: those
/// that were in the checkpoint that the run went on from, whose records are another file's.
Result<LedgerSummary> check_ledger(std::vector<StepRecord> records, std::int64_t steps,
                                   std::int64_t train_images, std::int64_t from = 0);

}  // namespace ringmaster::training

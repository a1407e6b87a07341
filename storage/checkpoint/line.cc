// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/line.h"

#include <algorithm>

namespace ringmaster::storage {

namespace {

/// The newest opened term below this one, or 0.
std::int64_t term_below(const Openings& openings, std::int64_t term) {
  const auto at = openings.lower_bound(term);
  return at == openings.begin() ? 0 : std::prev(at)->first;
}

}  // namespace

Line make_line(const Openings& openings, std::vector<CheckpointName> manifests,
               std::int64_t below) {
  std::sort(manifests.rbegin(), manifests.rend());
  Line line;
  line.term = term_below(openings, below);
  std::int64_t term = line.term;
  std::int64_t last_step = kStepMax;  // of this term, nothing above it is on the line
  while (term > 0) {
    for (const CheckpointName& name : manifests) {
      if (name.term == term && name.step <= last_step) line.candidates.push_back(name);
    }
    const auto at = openings.find(term);
    // A term without an opening was collected: the manifest that was resumed from is the last.
    if (at == openings.end()) break;
    const bool readable = at->second.has_value();
    if (readable && !at->second->resumes) break;
    if (!readable) line.cut.push_back(term);
    const std::int64_t next = readable ? at->second->resumes->term : term_below(openings, term);
    last_step = readable ? at->second->resumes->step : kStepMax;
    CHECK_LT(next, term);
    term = next;
  }
  return line;
}

}  // namespace ringmaster::storage

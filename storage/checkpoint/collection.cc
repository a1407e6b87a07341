// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/collection.h"

#include <algorithm>

namespace ringmaster::storage {

namespace {

/// Whether a folder of shards without a manifest can get one that counts: a save under way.
bool may_be_committed(const CheckpointName& folder, const CollectionInput& input) {
  if (folder.term > input.line.term) return true;  // of a term that is being opened
  if (folder.term < input.line.term) return false;
  return input.whole.empty() || folder > input.whole.front();
}

bool is_old(const std::map<CheckpointName, std::int64_t>& marks, const CheckpointName& name,
            const CollectionInput& input) {
  const auto at = marks.find(name);
  // A mark of the future is a clock that was wrong; it is renewed when its folder is looked at.
  return at != marks.end() && at->second <= input.now - input.grace_seconds;
}

}  // namespace

std::vector<CheckpointName> doomed_manifests(const Line& line,
                                             const std::vector<CheckpointName>& manifests,
                                             const std::vector<CheckpointName>& whole,
                                             std::int64_t keep) {
  CHECK_LT(0, keep);
  std::vector<CheckpointName> doomed;
  const auto& order = line.candidates;
  for (const CheckpointName& name : manifests) {
    const bool on_line = std::find(order.begin(), order.end(), name) != order.end();
    // Terms above the line's are being opened: nothing of theirs is judged.
    if (!on_line && name.term < line.term) doomed.push_back(name);
  }
  const auto count = static_cast<std::size_t>(keep);
  if (whole.size() < count) return doomed;
  const auto oldest = std::find(order.begin(), order.end(), whole[count - 1]);
  CHECK(oldest != order.end());
  doomed.insert(doomed.end(), std::next(oldest), order.end());
  return doomed;
}

Collection plan_collection(const CollectionInput& input) {
  CHECK_LE(std::int64_t{0}, input.grace_seconds);
  Collection plan;
  plan.manifests = doomed_manifests(input.line, input.manifests, input.whole, input.keep);
  plan.mark = plan.manifests;
  const std::set<CheckpointName> there(input.manifests.begin(), input.manifests.end());
  for (const auto& [folder, keys] : input.shards) {
    if (there.contains(folder)) continue;
    const auto at = input.marks.find(folder);
    const bool marked = at != input.marks.end() && at->second <= input.now;
    if (!marked) {
      if (!may_be_committed(folder, input)) plan.mark.push_back(folder);
      continue;
    }
    if (!is_old(input.marks, folder, input)) continue;
    for (const std::string& key : keys) {
      if (!input.referred.contains(key)) plan.shards.push_back(key);
    }
  }
  for (const auto& mark : input.marks) {
    const CheckpointName& name = mark.first;
    const auto at = input.shards.find(name);
    const bool empty = at == input.shards.end() ||
                       std::none_of(at->second.begin(), at->second.end(),
                                    [&](const auto& key) { return input.referred.contains(key); });
    if (!there.contains(name) && empty && is_old(input.marks, name, input)) {
      plan.unmark.push_back(name);
    }
  }
  if (input.whole.size() >= static_cast<std::size_t>(input.keep)) {
    const std::int64_t oldest = input.whole[static_cast<std::size_t>(input.keep) - 1].term;
    for (const std::int64_t term : input.terms) {
      if (term < oldest) plan.terms.push_back(term);
    }
  }
  return plan;
}

}  // namespace ringmaster::storage

// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ringmaster::jobs::simulator {

Ring::Ring(GenerationTable table)
    : table_(std::move(table)),
      reached_(table_.members.size(), 0),
      gathered_(table_.members.size(), kNoState) {}

int Ring::position_of(const RankId& id) const {
  for (std::size_t i = 0; i < table_.members.size(); ++i) {
    if (table_.members[i].id == id) return static_cast<int>(i);
  }
  return -1;
}

std::string Ring::arrive(int position, Point operation, std::int64_t steps) {
  const auto member = static_cast<std::size_t>(position);
  if (operation == Point::gathering) gathered_[member] = steps;
  const bool first = reached_[member] == operations_.size();
  if (first) operations_.push_back({operation, steps});
  Operation& here = operations_[reached_[member]++];
  ++here.arrived;
  here.counted += share(position);
  // Steps differ when gathering, which is what it is for, and while the state is on its way.
  const bool steps_may_differ = operation == Point::gathering || operation == Point::receiving;
  if (here.kind == operation && (steps_may_differ || here.steps == steps)) return "";
  return fmt::format("generation {}: position {} calls {} with {} steps, another one {} with {}",
                     table_.generation.value, position, point_name(operation), steps,
                     point_name(here.kind), here.steps);
}

const Ring::Operation& Ring::last_operation(int position) const {
  const std::size_t reached = reached_[static_cast<std::size_t>(position)];
  CHECK_LT(0U, reached);
  return operations_[reached - 1];
}

bool Ring::complete(int position) const {
  return last_operation(position).arrived == size();
}

int Ring::share(int position) const {
  return kBatch * (position + 1) / size() - kBatch * position / size();
}

int choose_source(const std::vector<std::int64_t>& steps) {
  return static_cast<int>(std::max_element(steps.begin(), steps.end()) - steps.begin());
}

}  // namespace ringmaster::jobs::simulator

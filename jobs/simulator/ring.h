// SPDX-License-Identifier: Apache-2.0
//
// The collectives of one generation: who has arrived at which operation, and what is exchanged.
//
// All members call the same operations in the same order; each operation completes when the last
// one has arrived, and not before. Who hears of the completion, and when, is the world's business:
// that is where ranks die between each other's finishing of one step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/core/action.h"
#include "jobs/simulator/plan.h"
#include "jobs/simulator/weights.h"

namespace ringmaster::jobs::simulator {

class Ring {
 public:
  explicit Ring(GenerationTable table);

  const GenerationTable& table() const { return table_; }
  int size() const { return static_cast<int>(table_.members.size()); }
  int position_of(const RankId& id) const;  // -1: no member

  /// A member comes to its next operation. The text says what is wrong with that, "" when nothing.
  std::string arrive(int position, Point operation, std::int64_t steps);
  /// Whether all members have arrived at the operation at which this one arrived last.
  bool complete(int position) const;

  /// Which position has the state to go on with; by what the members said when gathering.
  int source() const { return source_; }
  void set_source(int position) { source_ = position; }
  const std::vector<std::int64_t>& gathered() const { return gathered_; }

  /// What the source sends to those behind.
  Weights broadcast;

  /// How many places of the global batch are in the sum of the operation that it reached last.
  int counted(int position) const { return last_operation(position).counted; }

 private:
  struct Operation {
    Point kind;
    std::int64_t steps;
    int arrived = 0;
    int counted = 0;
  };
  const Operation& last_operation(int position) const;
  /// This position's share of a global batch.
  int share(int position) const;

  GenerationTable table_;
  std::vector<Operation> operations_;
  std::vector<std::size_t> reached_;  // by position: how many operations it has come to
  std::vector<std::int64_t> gathered_;
  int source_ = 0;
};

/// The lowest position with the most finished steps.
int choose_source(const std::vector<std::int64_t>& steps);

}  // namespace ringmaster::jobs::simulator

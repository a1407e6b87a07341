// SPDX-License-Identifier: Apache-2.0
//
// What each rank has handed in, told to all, and what all conclude from it: a tensor that is not
// the same everywhere, one that a rank keeps back, or nothing.
//
// Every rank judges the same announcements and comes to the same end, so no rank has to be asked. A
// coordinator at position 0 would need fewer messages, and would be one more thing that can be
// lost.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// What must be the same on all ranks.
struct Tensor {
  std::string name;
  Type type = RINGMASTER_FLOAT32;
  Reduction reduction = RINGMASTER_SUM;
  std::uint64_t count = 0;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct Announced {
  Tensor tensor;
  std::uint64_t address = 0;  // where it lies on that rank: neighbours are fused as they lie
  Duration age{};             // since it was handed in
};

/// One rank's.
struct Announcement {
  bool closing = false;  // it hands nothing more into this batch
  std::uint64_t bucket_bytes = 0;
  Duration timeout{};  // the rank's: the shortest of all counts
  std::vector<Announced> tensors{};
};

std::vector<std::byte> encode(const Announcement& announcement);
/// Errc::corrupt for what encode() cannot have made.
Result<Announcement> decode(std::span<const std::byte> bytes);

struct Verdict {
  std::optional<Error> error;  // the same on all ranks: ends the batch
  std::string warning;         // who keeps what back; empty when nothing is late
};

/// `announcements` by position; `numbers` are the ranks'. Late is what has waited for `warn_after`.
Verdict judge(const std::vector<Announcement>& announcements, const std::vector<int>& numbers,
              Duration warn_after);

}  // namespace ringmaster::collectives

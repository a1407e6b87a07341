// SPDX-License-Identifier: Apache-2.0
//
// Who is known to have called the operation under way.
//
// When nothing has moved for a while, ranks tell their two neighbours in the ring, who pass it on.
// So after a time-out everybody can name the rank that is missing, and two neighbours whose calls
// differ find that out even when no plan of theirs lets one send to the other.
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ringmaster::collectives {

class RollCall {
 public:
  /// `self` is an index below `size`, as all indexes here.
  RollCall(int size, int self) : size_(size), self_(self) {}

  bool has(int index) const;
  /// Whether that was news.
  bool add_self();
  bool add(const std::byte* bits, std::size_t bytes);
  /// A bit for each index.
  const std::vector<std::byte>& bits() const { return bits_; }
  /// The nearest one before us that is not known to be here: its successor is, and has not heard
  /// from it. Nothing when all are.
  std::optional<int> missing() const;

 private:
  void make_room();

  int size_;
  int self_;
  std::vector<std::byte> bits_;  // empty until something is known
};

}  // namespace ringmaster::collectives

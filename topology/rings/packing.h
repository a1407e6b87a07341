// SPDX-License-Identifier: Apache-2.0
//
// How much rings can carry together: a linear programme. Each ring has a rate; what all of them
// take of a wire is at most what it carries; the sum of the rates is to be the largest.
//
// Rings are far too many to list, so they are added as they are found to help (Gilmore and Gomory,
// "A linear programming approach to the cutting-stock problem", 1961): the programme gives each
// wire a price, a ring whose wires cost less than 1 together makes the sum larger, and when the
// cheapest ring costs 1 the sum is the largest there is. The simplex method with the inverse of the
// basis; capacities are a little uneven inside, so that it does not go in circles.
//
// Pure.
#pragma once

#include <utility>
#include <vector>

namespace ringmaster::topology {

/// What one unit of a ring's rate takes of each wire that it crosses.
using WireUse = std::vector<std::pair<int, double>>;

class RingPacking {
 public:
  /// What the wires carry: all above 0.
  explicit RingPacking(std::vector<double> capacities);

  /// Of each wire: what one unit more of it would add to the sum.
  const std::vector<double>& prices() const { return prices_; }
  double cost(const WireUse& use) const;
  /// Brings a ring in that costs less than 1; false when it takes nothing of any wire.
  bool add(int ring, const WireUse& use);

  /// The rates of the rings that are in, by the numbers they were added with; what rounding may
  /// have given them too much is taken off.
  std::vector<std::pair<int, double>> rates() const;

 private:
  struct Basic {
    int ring = -1;  // -1: what is left of a wire
    WireUse use = {};
  };
  double& inverse(std::size_t row, std::size_t column) { return inverse_[row * wires_ + column]; }
  double inverse(std::size_t row, std::size_t column) const {
    return inverse_[row * wires_ + column];
  }
  bool enter(Basic basic);
  void find_prices();
  void settle();

  const std::size_t wires_;
  const std::vector<double> capacities_;
  std::vector<double> inverse_;  // of the basis, by rows
  std::vector<Basic> basis_;
  std::vector<double> values_;  // of the basis, of uneven capacities
  std::vector<double> prices_;
};

}  // namespace ringmaster::topology

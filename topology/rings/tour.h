// SPDX-License-Identifier: Apache-2.0
//
// Tours: orders in which a ring passes all GPUs and comes back to the first.
//
// Exact search by Held and Karp's dynamic programme ("A dynamic programming approach to sequencing
// problems", 1962) over sets of GPUs: n 2^n steps for each way that a GPU has. Above, a local
// search: reversing parts of a tour (2-opt) and moving up to three neighbours elsewhere (Or-opt)
// while that makes it cheaper.
//
// Pure; the same costs give the same tour.
#pragma once

#include <cstddef>
#include <vector>

namespace ringmaster::topology {

/// Places of GPUs in the order of the ring.
using Tour = std::vector<int>;

/// What each step of a tour costs; symmetric, of n x n. Infinity is for what no tour may take.
class TourCosts {
 public:
  explicit TourCosts(std::size_t gpus) : gpus_(gpus), costs_(gpus * gpus) {}
  double& at(std::size_t a, std::size_t b) { return costs_[a * gpus_ + b]; }
  double at(std::size_t a, std::size_t b) const { return costs_[a * gpus_ + b]; }
  std::size_t gpus() const { return gpus_; }

 private:
  std::size_t gpus_;
  std::vector<double> costs_;
};

double tour_cost(const TourCosts& costs, const Tour& tour);

inline constexpr std::size_t kExactGpusMost = 16;

/// A tour of the least cost, for at most kExactGpusMost GPUs; it begins with the first. Empty when
/// there is none.
Tour exact_tour(const TourCosts& costs);

/// About how many steps exact_tour takes: some 10^9 a second.
double exact_tour_steps(const TourCosts& costs);

/// Up to here an exact tour costs no more than a local search.
inline constexpr std::size_t kExactGpusAlways = 12;
inline constexpr std::size_t kSearchedGpusMost = 64;

/// A tour that no single change of the local search makes cheaper, the best of one start per GPU.
/// It takes what costs infinity where it finds no way around it. Of more than kSearchedGpusMost
/// GPUs it is the first way that is found: always on to the nearest.
Tour local_tour(const TourCosts& costs);

}  // namespace ringmaster::topology

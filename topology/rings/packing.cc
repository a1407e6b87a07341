// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/packing.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace ringmaster::topology {

namespace {

constexpr double kUneven = 1e-8;   // of a capacity, at most
constexpr double kNothing = 1e-9;  // below this a pivot or a price is rounding
constexpr int kRoundsMost = 1000;  // of leftovers that come back in

}  // namespace

RingPacking::RingPacking(std::vector<double> capacities)
    : wires_(capacities.size()),
      capacities_(std::move(capacities)),
      inverse_(wires_ * wires_),
      basis_(wires_),
      values_(capacities_),
      prices_(wires_) {
  for (std::size_t wire = 0; wire < wires_; ++wire) {
    CHECK(capacities_[wire] > 0);
    inverse(wire, wire) = 1;
    basis_[wire].use = {{static_cast<int>(wire), 1.0}};
    values_[wire] *= 1 + kUneven * static_cast<double>(wire + 1) / static_cast<double>(wires_);
  }
}

double RingPacking::cost(const WireUse& use) const {
  double sum = 0;
  for (const auto& [wire, amount] : use) sum += amount * prices_[static_cast<std::size_t>(wire)];
  return sum;
}

bool RingPacking::add(int ring, const WireUse& use) {
  if (!enter({ring, use})) return false;
  settle();
  return true;
}

/// One pivot: the one that comes in pushes out what is used up first.
bool RingPacking::enter(Basic basic) {
  std::vector<double> change(wires_);
  for (std::size_t row = 0; row < wires_; ++row) {
    for (const auto& [wire, amount] : basic.use) {
      change[row] += inverse(row, static_cast<std::size_t>(wire)) * amount;
    }
  }
  std::size_t out = wires_;
  double least = 0;
  for (std::size_t row = 0; row < wires_; ++row) {
    if (change[row] <= kNothing) continue;
    const double ratio = values_[row] / change[row];
    if (out == wires_ || ratio < least) {
      least = ratio;
      out = row;
    }
  }
  if (out == wires_) return false;
  for (std::size_t column = 0; column < wires_; ++column) inverse(out, column) /= change[out];
  values_[out] = least;
  for (std::size_t row = 0; row < wires_; ++row) {
    if (row == out || change[row] == 0) continue;
    for (std::size_t column = 0; column < wires_; ++column) {
      inverse(row, column) -= change[row] * inverse(out, column);
    }
    values_[row] = std::max(0.0, values_[row] - change[row] * least);
  }
  basis_[out] = std::move(basic);
  find_prices();
  return true;
}

void RingPacking::find_prices() {
  std::fill(prices_.begin(), prices_.end(), 0.0);
  for (std::size_t row = 0; row < wires_; ++row) {
    if (basis_[row].ring < 0) continue;
    for (std::size_t wire = 0; wire < wires_; ++wire) prices_[wire] += inverse(row, wire);
  }
}

/// Lets leftovers back in whose wires have a price below 0: they are better left unused.
void RingPacking::settle() {
  for (int round = 0; round < kRoundsMost; ++round) {
    const auto cheapest = std::min_element(prices_.begin(), prices_.end());
    if (*cheapest >= -kNothing) return;
    const int wire = static_cast<int>(cheapest - prices_.begin());
    if (!enter({-1, {{wire, 1.0}}})) return;
  }
}

std::vector<std::pair<int, double>> RingPacking::rates() const {
  std::map<int, double> found;
  std::vector<double> taken(wires_);
  for (std::size_t row = 0; row < wires_; ++row) {
    if (basis_[row].ring < 0) continue;
    double rate = 0;
    for (std::size_t wire = 0; wire < wires_; ++wire)
      rate += inverse(row, wire) * capacities_[wire];
    if (rate <= kNothing) continue;
    found[basis_[row].ring] += rate;
    for (const auto& [wire, amount] : basis_[row].use) {
      taken[static_cast<std::size_t>(wire)] += amount * rate;
    }
  }
  double over = 1;
  for (std::size_t wire = 0; wire < wires_; ++wire) {
    over = std::max(over, taken[wire] / capacities_[wire]);
  }
  std::vector<std::pair<int, double>> rates;
  for (const auto& [ring, rate] : found) rates.emplace_back(ring, rate / over);
  return rates;
}

}  // namespace ringmaster::topology

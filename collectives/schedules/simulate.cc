// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/simulate.h"

#include <algorithm>

#include "base/check.h"

namespace ringmaster::collectives::schedules {

namespace {

struct Nic {
  double out_free = 0, in_free = 0;  // seconds
  double sent = 0;                   // bytes
};

class Simulation {
 public:
  Simulation(const Plan& plan, std::size_t bytes, int ranks_a_host, const Cost& cost)
      : plan_(plan), cost_(cost), ranks_a_host_(ranks_a_host) {
    // What is gathered to be reduced are whole arrays.
    const bool whole = plan.algorithm == Algorithm::gather;
    const int blocks = whole ? 1 : std::max(block_count(plan), 1);
    block_bytes_ = static_cast<double>(bytes) / blocks;
    reduced_last_ = whole ? block_bytes_ * plan.ranks : 0;
    const auto ranks = static_cast<std::size_t>(plan.ranks);
    ready_.resize(ranks);
    next_.resize(ranks);
    reduced_.resize(ranks);
    nics_.resize((ranks + static_cast<std::size_t>(ranks_a_host) - 1) /
                 static_cast<std::size_t>(ranks_a_host));
  }

  Simulated run() {
    for (int round = 0; round < round_count(plan_); ++round) {
      next_ = ready_;
      for (int position = 0; position < plan_.ranks; ++position) {
        steps_.clear();
        add_round(plan_, position, round, steps_);
        for (const Step& step : steps_) {
          if (step.action == Action::send) send(position, step);
          if (step.action == Action::reduce)
            reduced_[static_cast<std::size_t>(position)] += step.blocks;
        }
      }
      for (std::size_t rank = 0; rank < next_.size(); ++rank) {
        next_[rank] += reduced_[rank] * block_bytes_ * cost_.reduce_ns * 1e-9;
        reduced_[rank] = 0;
      }
      std::swap(ready_, next_);
    }
    result_.seconds = *std::ranges::max_element(ready_) + reduced_last_ * cost_.reduce_ns * 1e-9;
    for (const Nic& nic : nics_) result_.bytes_sent = std::max(result_.bytes_sent, nic.sent);
    return result_;
  }

 private:
  void send(int position, const Step& step) {
    const auto from = static_cast<std::size_t>(position), to = static_cast<std::size_t>(step.peer);
    const double bytes = block_bytes_ * step.blocks;
    double arrival = ready_[from];
    if (position / ranks_a_host_ != step.peer / ranks_a_host_) {
      Nic& out = nics_[static_cast<std::size_t>(position / ranks_a_host_)];
      Nic& in = nics_[static_cast<std::size_t>(step.peer / ranks_a_host_)];
      const double busy = bytes * cost_.byte_ns * 1e-9;
      const double begin = std::max(ready_[from], out.out_free);
      out.out_free = begin + busy;
      // What comes to a busy NIC waits in the network, and does not hold the sender up.
      arrival = std::max(begin + cost_.round_us * 1e-6, in.in_free) + busy;
      in.in_free = arrival;
      out.sent += bytes;
      ++result_.messages;
    }
    next_[to] = std::max(next_[to], arrival);
  }

  const Plan& plan_;
  const Cost& cost_;
  int ranks_a_host_;
  double block_bytes_;
  double reduced_last_;               // bytes, by each rank for itself
  std::vector<double> ready_, next_;  // by position: when a round's input is there
  std::vector<double> reduced_;       // by position: blocks, in this round
  std::vector<Nic> nics_;             // by host
  Steps steps_;
  Simulated result_;
};

}  // namespace

Simulated simulate(const Plan& plan, std::size_t bytes, int ranks_a_host, const Cost& cost) {
  CHECK(plan.ranks >= 1 && ranks_a_host >= 1);
  return Simulation(plan, bytes, ranks_a_host, cost).run();
}

}  // namespace ringmaster::collectives::schedules

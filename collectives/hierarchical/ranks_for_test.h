// SPDX-License-Identifier: Apache-2.0
//
// Ranks for the tests of this engine: threads on hosts that are segments of their own, connected
// over loopback. Only tests include it.
#pragma once

#include <algorithm>

#include "collectives/hierarchical/hierarchical_communicator.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {

class HierarchicalRanks {
 public:
  /// `hosts` has the host of each position.
  explicit HierarchicalRanks(std::vector<int> hosts)
      : tcp_(static_cast<int>(hosts.size())), hosts_(std::move(hosts)) {
    const int most = 1 + *std::max_element(hosts_.begin(), hosts_.end());
    for (int host = 0; host < most; ++host) {
      auto made = Segment::create(static_cast<int>(hosts_.size()));
      CHECK(made.ok());
      segments_.push_back(std::move(*made));
    }
  }

  int size() const { return tcp_.size(); }

  /// What the agents do when a generation ends.
  void abort(std::int64_t generation) const {
    for (const Segment& segment : segments_) segment.abort(generation);
    tcp_.abort(generation);
  }

  std::unique_ptr<HierarchicalCommunicator> make(std::int64_t generation, int position) {
    const Segment& segment = segment_of(position);
    std::vector<int> numbers;
    int place = 0;
    for (int peer = 0; peer < size(); ++peer) {
      if (host_of(peer) != host_of(position)) continue;
      if (peer == position) place = static_cast<int>(numbers.size());
      numbers.push_back(peer);
    }
    auto local = std::make_unique<ShmCommunicator>(
        segment, ShmMembership{generation, std::move(numbers), place, 2});
    auto mesh =
        std::make_shared<Mesh>(tcp_.listener(position), tcp_.membership(generation, position),
                               Abort{segment, tcp_.abort_of(position).fd});
    auto made =
        std::make_unique<HierarchicalCommunicator>(std::move(local), std::move(mesh), hosts_);
    made->set_timeout(std::chrono::seconds(60));
    return made;
  }

  /// Runs `body(communicator)` on a thread for each rank.
  void run(std::int64_t generation, const std::function<void(HierarchicalCommunicator&)>& body) {
    for (const Segment& segment : segments_) segment.reset();
    std::vector<std::thread> threads;
    for (int position = 0; position < size(); ++position) {
      threads.emplace_back([&, position] { body(*make(generation, position)); });
    }
    for (auto& thread : threads) thread.join();
  }

 private:
  int host_of(int position) const { return hosts_[static_cast<std::size_t>(position)]; }
  const Segment& segment_of(int position) const {
    return segments_[static_cast<std::size_t>(host_of(position))];
  }

  TcpRanks tcp_;
  std::vector<int> hosts_;
  std::vector<Segment> segments_;
};

}  // namespace ringmaster::collectives

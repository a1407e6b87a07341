// SPDX-License-Identifier: Apache-2.0
#include "topology/stated_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ringmaster::topology {

namespace {

class LinkReader {
 public:
  LinkReader(Topology& machine, const std::vector<StatedLink>& stated)
      : machine_(machine), stated_(stated) {}

  void read() {
    for (const Gpu& gpu : machine_.gpus) {
      if (gpu.bus_id) index_[*gpu.bus_id] = gpu.index;
    }
    for (const StatedLink& link : stated_) count(link);
    for (const auto& [pair, count] : directed_) add_pair(pair.first, pair.second, count);
    if (!through_switch_.empty()) add_switched();
    if (!machine_.links.empty()) {
      machine_.fabric = through_switch_.empty() ? Fabric::direct : Fabric::switched;
    }
    std::sort(machine_.links.begin(), machine_.links.end(), [](const Link& a, const Link& b) {
      return std::pair(a.a, a.b) < std::pair(b.a, b.b);
    });
  }

  void warn(std::string text) {
    if (machine_.warnings.size() < kWarningsMax) machine_.warnings.push_back(std::move(text));
  }

 private:
  static constexpr std::size_t kWarningsMax = 64;
  void count(const StatedLink& link);
  void add_pair(int from, int to, int count);
  void add_switched();

  Topology& machine_;
  const std::vector<StatedLink>& stated_;
  std::map<std::string, int> index_;
  std::map<std::pair<int, int>, int> directed_;
  std::map<int, int> through_switch_;
};

void LinkReader::count(const StatedLink& link) {
  const int from = index_.at(link.from);
  const auto target = index_.find(link.target);
  if (link.target == link.from) {
    warn(fmt::format("{}GPU{} is linked to itself: left out", link.place, from));
  } else if (target != index_.end()) {
    directed_[{from, target->second}] += link.count;
  } else if (link.to_switch) {
    through_switch_[from] += link.count;
  } else {
    warn(fmt::format("{}GPU{} is linked to {}, no GPU here: left out", link.place, from,
                     link.target));
  }
}

/// Both ends state a link; where they differ, the fewer are sure.
void LinkReader::add_pair(int from, int to, int count) {
  const auto back = directed_.find({to, from});
  const int other = back == directed_.end() ? 0 : back->second;
  if (other != 0 && from > to) return;  // told from the other end
  if (other != count) {
    warn(fmt::format("GPU{} states {} links to GPU{}, which states {}", from, count, to,
                     other == 0 ? "none" : std::to_string(other)));
  }
  const int sure = other == 0 ? count : std::min(count, other);
  machine_.links.push_back({std::min(from, to), std::max(from, to), std::min(sure, 999)});
}

/// Through a switch each GPU reaches each other with all the links that both have.
void LinkReader::add_switched() {
  for (auto a = through_switch_.begin(); a != through_switch_.end(); ++a) {
    for (auto b = std::next(a); b != through_switch_.end(); ++b) {
      if (link_count(machine_, a->first, b->first) > 0) continue;
      machine_.links.push_back({a->first, b->first, std::min({a->second, b->second, 999})});
    }
  }
}

}  // namespace

void settle_links(Topology& machine, const std::vector<StatedLink>& stated) {
  LinkReader(machine, stated).read();
}

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/check.h"
#include "collectives/schedules/rounds.h"

namespace ringmaster::collectives::schedules {

namespace {

constexpr int kNobody = -1;

/// A binary tree over 0 .. n-1 in which odd numbers are leaves: the lowest set bit of a number says
/// how high it stands, and 0 is the root above the largest power of two.
struct Tree {
  int n;

  int parent(int node) const {
    if (node == 0) return kNobody;
    const int bit = node & -node;
    const int up = (node ^ bit) | (bit << 1);
    return up < n ? up : node ^ bit;
  }
  std::array<int, 2> children(int node) const {
    const int bit = node == 0 ? 2 * power_below(n) : node & -node;
    int right = bit / 2;
    while (right > 0 && node + right >= n) right /= 2;
    return {node != 0 && bit > 1 ? node - bit / 2 : kNobody, right > 0 ? node + right : kNobody};
  }
  /// Rounds after which a node has all of its subtree.
  int height(int node) const {
    if (node == 0) return rounds_to_reach(n);
    int height = 0;
    while ((node >> height) % 2 == 0) ++height;
    return height;
  }
  int depth(int node) const {
    int depth = 0;
    for (; node != 0; node = parent(node)) ++depth;
    return depth;
  }
};

/// The second tree is the first one mirrored or, where that would leave the middle in its place,
/// moved on by one: inner nodes of one are leaves of the other.
struct Place {
  int n;
  bool second;

  int node(int position) const {
    if (!second) return position;
    return n % 2 == 0 ? n - 1 - position : (position + n - 1) % n;
  }
  int position(int node) const {
    if (!second) return node;
    return n % 2 == 0 ? n - 1 - node : (node + 1) % n;
  }
};

}  // namespace

// Heights grow with every hop to the root, so no node is deeper than the root is high.
int tree_rounds(int ranks, int segments) {
  return segments + 2 * Tree{ranks}.height(0) - 1;
}

// A segment starts at the leaves in its own round and goes up by heights; from the root it comes
// down by depths. So what goes up and what comes down stream at once.
void add_tree_round(const Plan& plan, int position, int round, Steps& steps) {
  const int n = plan.ranks;
  const Tree tree{n};
  const int top = tree.height(0);
  for (int second = 0; second < 2; ++second) {
    const Place place{n, second == 1};
    const int node = place.node(position), parent = tree.parent(node);
    const auto add = [&](Action action, int other, int segment, bool arrived_first, bool complete) {
      if (segment < 0 || segment >= plan.segments) return;
      steps.push_back({action, place.position(other), second * plan.segments + segment, 1,
                       arrived_first, complete});
    };
    const int down = top + tree.depth(node);
    for (const int child : tree.children(node)) {
      if (child == kNobody) continue;
      // The root has one child, so what comes from it is the last.
      add(Action::reduce, child, round - tree.height(child), child < node, node == 0);
    }
    if (parent != kNobody) {
      add(Action::send, parent, round - tree.height(node), false, false);
      add(Action::receive, parent, round - (down - 1), false, false);
    }
    for (const int child : tree.children(node)) {
      if (child != kNobody) add(Action::send, child, round - down, false, false);
    }
  }
}

}  // namespace ringmaster::collectives::schedules

// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/canonical_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace ringmaster::topology {

namespace {

/// What a GPU sees of another: the speed of the way, its wires, the other's colour.
using View = std::tuple<double, std::size_t, int>;

std::size_t count_colours(const std::vector<int>& colours) {
  return static_cast<std::size_t>(*std::max_element(colours.begin(), colours.end())) + 1;
}

/// Gives GPUs of one colour that see different things colours of their own, until none do.
void refine(const Wires& wires, std::vector<int>& colours) {
  for (std::size_t before = 0; before != count_colours(colours);) {
    before = count_colours(colours);
    std::map<std::pair<int, std::vector<View>>, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      std::vector<View> views;
      for (std::size_t j = 0; j < colours.size(); ++j) {
        if (i != j) views.emplace_back(wires.gb_s(i, j), wires.routes[i][j].size(), colours[j]);
      }
      std::sort(views.begin(), views.end());
      alike[{colours[i], std::move(views)}].push_back(i);
    }
    int colour = 0;
    for (const auto& [key, members] : alike) {
      for (const std::size_t member : members) colours[member] = colour;
      ++colour;
    }
  }
}

/// Tells one of the first colour that several have apart; false when all differ.
bool tell_one_apart(std::vector<int>& colours) {
  for (int colour = 0; colour < static_cast<int>(count_colours(colours)); ++colour) {
    if (std::count(colours.begin(), colours.end(), colour) < 2) continue;
    const auto chosen = std::find(colours.begin(), colours.end(), colour) - colours.begin();
    for (int& other : colours) other += other >= colour ? 1 : 0;
    colours[static_cast<std::size_t>(chosen)] = colour;
    return true;
  }
  return false;
}

}  // namespace

std::vector<int> canonical_order(const Wires& wires) {
  std::vector<int> order(wires.gpus());
  std::iota(order.begin(), order.end(), 0);
  if (order.empty()) return order;
  std::vector<int> colours(wires.gpus());
  refine(wires, colours);
  while (tell_one_apart(colours)) refine(wires, colours);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return colours[static_cast<std::size_t>(a)] < colours[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace ringmaster::topology

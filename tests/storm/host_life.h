// SPDX-License-Identifier: Apache-2.0
//
// A rank of a host (host.h), from its start to its end. Private to the two.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tests/storm/host.h"

namespace ringmaster::storm {

struct Post {
  static constexpr std::size_t kTextMax = 4096;
  std::atomic<std::int64_t> left;  // the newest generation that the rank has left
  std::atomic<int> code;           // Errc with which it ended
  std::atomic<std::int64_t> calls;
  std::atomic<bool> wrong;
  char text[kTextMax];  // why it left, or what is wrong
};

struct Board {
  std::atomic<std::int64_t> generation;  // what `form` is for; written after it
  std::atomic<bool> end;
  Form form;
  Post posts[Form::kRanksMax];
};

/// What a rank inherits.
struct Inheritance {
  Ways ways;
  int hosts;
  int number;
  std::uint64_t seed;
  const std::vector<collectives::Segment>& segments;
  int listener;
  const std::vector<std::string>& endpoints;
  Board& board;
};

/// Lives until the board says that it is over. The exit code of the process.
int live(const Inheritance& inheritance);

}  // namespace ringmaster::storm

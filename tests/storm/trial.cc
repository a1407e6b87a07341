// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/trial.h"

#include <cstring>

#include "tests/storm/values.h"

namespace ringmaster::storm {

namespace {

using collectives::before;
using collectives::size_of;
using collectives::total;

constexpr int kUntouched = 0x5a;  // what outputs hold before

collectives::Operation::Kind kind_of(Kind kind) {
  using Done = collectives::Operation::Kind;
  switch (kind) {
    case Kind::all_reduce:
      return Done::all_reduce;
    case Kind::reduce_scatter:
      return Done::reduce_scatter;
    case Kind::all_gather:
      return Done::all_gather;
    case Kind::all_to_all:
      return Done::all_to_all;
    case Kind::broadcast:
      return Done::broadcast;
    case Kind::barrier:
      return Done::barrier;
    case Kind::exchange:
    case Kind::group:
      return Done::group;
  }
  CHECK(false);
}

}  // namespace

Trial::Trial(const Call& call, int rank, int ranks, Memory& memory)
    : call_(call), rank_(rank), ranks_(ranks), memory_(memory) {
  operation_ = {.kind = kind_of(call_.kind), .type = call_.type, .reduction = call_.reduction};
  operation_.count = call_.counts[0];
  operation_.root = call_.root;
  operation_.counts = call_.counts;
  prepare();
}

void Trial::prepare() {
  switch (call_.kind) {
    case Kind::all_reduce:
      return prepare_all_reduce();
    case Kind::reduce_scatter:
      return prepare_reduce_scatter();
    case Kind::all_gather:
      return prepare_all_gather();
    case Kind::all_to_all:
      return prepare_all_to_all();
    case Kind::broadcast:
      return prepare_broadcast();
    case Kind::barrier:
      return;
    case Kind::exchange:
      return prepare_messages();
    case Kind::group:
      return prepare_group();
  }
}

Trial::~Trial() {
  for (std::byte* array : arrays_) [[maybe_unused]] const bool whole = memory_.give(array);
}

std::byte* Trial::take(const Call& call, std::size_t count) {
  const std::size_t width = size_of(call.type);
  std::byte* array =
      memory_.take(count * width, width, call_.places[static_cast<std::size_t>(rank_)]);
  std::memset(array, kUntouched, count * width);
  arrays_.push_back(array);
  return array;
}

std::byte* Trial::put(const Call& call, std::size_t begin, std::size_t count, bool stays) {
  std::byte* array = take(call, count);
  fill(call, rank_, begin, count, array);
  const std::size_t bytes = count * size_of(call.type);
  if (stays) inputs_.push_back({array, bytes, digest_of(array, bytes)});
  return array;
}

void Trial::expect(const std::byte* at, std::size_t begin, std::size_t count, const Call& call,
                   int rank, bool alike) {
  expected_.push_back({at, begin, count, &call, rank, alike});
}

void Trial::prepare_all_reduce() {
  const std::size_t count = call_.counts[0];
  std::byte* input = put(call_, 0, count, !call_.in_place);
  std::byte* output = call_.in_place ? input : take(call_, count);
  operation_.input = input;
  operation_.output = output;
  expect(output, 0, count, call_, kReduced);
}

void Trial::prepare_reduce_scatter() {
  const std::size_t begin = before(call_.counts, rank_), count = own(call_.counts);
  std::byte* input = put(call_, 0, total(call_.counts), !call_.in_place);
  std::byte* output = call_.in_place ? input + begin * size_of(call_.type) : take(call_, count);
  operation_.input = input;
  operation_.output = output;
  expect(output, begin, count, call_, kReduced, false);
}

void Trial::prepare_all_gather() {
  const std::size_t width = size_of(call_.type);
  std::byte* output = take(call_, total(call_.counts));
  std::byte* place = output + before(call_.counts, rank_) * width;
  operation_.output = output;
  if (call_.in_place) {
    fill(call_, rank_, 0, own(call_.counts), place);
    operation_.input = place;
  } else {
    operation_.input = put(call_, 0, own(call_.counts), true);
  }
  for (int peer = 0; peer < ranks_; ++peer) {
    expect(output + before(call_.counts, peer) * width, 0,
           call_.counts[static_cast<std::size_t>(peer)], call_, peer);
  }
}

Counts Trial::taken() const {
  Counts take;
  for (const Counts& row : call_.matrix) take.push_back(own(row));
  return take;
}

void Trial::prepare_all_to_all() {
  const Counts& give = call_.matrix[static_cast<std::size_t>(rank_)];
  operation_.counts = give;
  operation_.take = taken();
  operation_.input = put(call_, 0, total(give), true);
  std::byte* output = take(call_, total(operation_.take));
  operation_.output = output;
  for (int peer = 0; peer < ranks_; ++peer) {
    const Counts& theirs = call_.matrix[static_cast<std::size_t>(peer)];
    expect(output + before(operation_.take, peer) * size_of(call_.type), before(theirs, rank_),
           own(theirs), call_, peer, false);
  }
}

void Trial::prepare_broadcast() {
  const std::size_t count = call_.counts[0];
  // Where it is in place every other rank takes part and keeps nothing.
  if (rank_ != call_.root && call_.in_place && rank_ % 2 == 1) return;
  std::byte* data = take(call_, count);
  if (rank_ == call_.root) fill(call_, rank_, 0, count, data);
  operation_.output = data;
  expect(data, 0, count, call_, call_.root, false);
}

/// Everybody sends what the matrix says, as two messages where it is in place; nothing is no
/// message.
void Trial::prepare_messages() {
  const std::size_t width = size_of(call_.type);
  const auto add = [&](std::byte* data, std::size_t count, int peer, auto& all) {
    const std::size_t first = call_.in_place ? count / 3 : count;
    if (first > 0) all.push_back({data, first, call_.type, peer});
    if (first < count) all.push_back({data + first * width, count - first, call_.type, peer});
  };
  for (int peer = 0; peer < ranks_; ++peer) {
    const std::size_t to =
        call_.matrix[static_cast<std::size_t>(rank_)][static_cast<std::size_t>(peer)];
    const std::size_t from = own(call_.matrix[static_cast<std::size_t>(peer)]);
    // Elements for each receiver are others: nobody may get what was for somebody else.
    const std::size_t theirs = static_cast<std::size_t>(peer) << 32;
    add(put(call_, theirs, to, true), to, peer, operation_.sends);
    std::byte* target = take(call_, from);
    add(target, from, peer, operation_.receives);
    expect(target, static_cast<std::size_t>(rank_) << 32, from, call_, peer, false);
  }
}

void Trial::prepare_group() {
  for (const Call& one : call_.reduces) {
    const std::size_t count = one.counts[0];
    std::byte* input = put(one, 0, count, !one.in_place);
    std::byte* output = one.in_place ? input : take(one, count);
    operation_.reduces.push_back({input, output, count, one.type, one.reduction});
    expect(output, 0, count, one, kReduced);
  }
  prepare_messages();
}

std::string Trial::judge(const Expected& one) const {
  if (one.rank != kReduced) return compare(*one.call, one.rank, one.begin, one.count, one.at);
  return compare_reduced(*one.call, ranks_, one.begin, one.count, one.at);
}

std::string Trial::verdict(bool judged) {
  for (const Expected& one : expected_) {
    if (one.alike) {
      digest_ = digest_ * 31 + digest_of(one.at, one.count * size_of(one.call->type));
    }
    if (one.alike && !judged) continue;
    const std::string wrong = judge(one);
    if (!wrong.empty()) return wrong;
  }
  for (const Input& one : inputs_) {
    if (digest_of(one.at, one.bytes) != one.digest) return "an input was written";
  }
  for (std::byte* array : std::exchange(arrays_, {})) {
    if (!memory_.give(array)) return "bytes beside an array were written";
  }
  return {};
}

}  // namespace ringmaster::storm

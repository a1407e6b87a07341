// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/checker.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <utility>

#include "base/check.h"
#include "collectives/schedules/dependencies.h"

namespace ringmaster::collectives::schedules {

namespace {

using Set = std::uint64_t;  // positions whose contributions are in

/// What a block holds; nothing: no contribution.
struct Value {
  Set from = 0;
  std::uint64_t made = 0;  // a hash of how it was reduced
  friend bool operator==(const Value&, const Value&) = default;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15ULL + b + 0x7f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return z ^ (z >> 27);
}

Set only(int position) {
  return Set{1} << position;
}

Set everybody(int ranks) {
  return ranks == kCheckedRanksMax ? ~Set{0} : only(ranks) - 1;
}

Value own_value(int position, int block) {
  return {only(position),
          mixed(static_cast<std::uint64_t>(position + 1), static_cast<std::uint64_t>(block + 1))};
}

/// One position on its way through its steps.
struct Walker {
  Ordered ordered;
  std::vector<Value> blocks;
  std::vector<bool> done = {};
  Set tokens = 0;
  std::size_t left = 0;

  bool may(int step) const {
    for (const int before : ordered.after[static_cast<std::size_t>(step)]) {
      if (!done[static_cast<std::size_t>(before)]) return false;
    }
    return true;
  }
};

class Check {
 public:
  Check(const Plan& plan, const std::vector<Steps>& steps)
      : plan_(plan), all_(everybody(plan.ranks)) {
    for (int position = 0; position < plan.ranks; ++position) {
      const auto index = static_cast<std::size_t>(position);
      Walker walker{order(steps[index], block_count(plan)), begin_of(position)};
      walker.left = steps[index].size();
      walker.done.resize(walker.left);
      for (int step = 0; step < static_cast<int>(walker.left); ++step) {
        const Step& one = steps[index][static_cast<std::size_t>(step)];
        const bool sends = one.action == Action::send;
        (sends ? links_[{position, one.peer}].out : links_[{one.peer, position}].in)
            .push_back(step);
      }
      walkers_.push_back(std::move(walker));
    }
  }

  Result<void> run() {
    for (bool moved = true; moved && problem_.empty();) {
      moved = false;
      for (auto& [ends, link] : links_) {
        while (problem_.empty() && pass(ends.first, ends.second, link)) moved = true;
      }
    }
    for (int position = 0; position < plan_.ranks && problem_.empty(); ++position) finish(position);
    if (problem_.empty()) return {};
    return Error{Errc::invalid, fmt::format("{} by {}, {} ranks: {}", name_of(plan_.operation),
                                            name_of(plan_.algorithm), plan_.ranks, problem_)};
  }

 private:
  struct Link {
    std::deque<int> out, in;
    int held = -1;  // a step to reduce that has arrived
    std::vector<Value> room = {};
  };

  bool reduces() const {
    return plan_.operation == Operation::all_reduce || plan_.operation == Operation::reduce_scatter;
  }
  /// An all-reduce by gathering moves contributions, and reduces them in the end.
  bool gathers() const {
    return plan_.operation == Operation::all_gather || plan_.algorithm == Algorithm::gather;
  }

  std::vector<Value> begin_of(int position) const {
    std::vector<Value> blocks(static_cast<std::size_t>(block_count(plan_)));
    for (int block = 0; block < static_cast<int>(blocks.size()); ++block) {
      bool has = reduces();
      if (gathers()) has = block == position;
      if (plan_.operation == Operation::all_to_all) has = block / plan_.ranks == position;
      if (plan_.operation == Operation::broadcast) has = position == plan_.root;
      if (has) blocks[static_cast<std::size_t>(block)] = own_value(position, block);
    }
    return blocks;
  }

  /// Carries the first send of the link out when both ends are ready, or what it has sent before.
  bool pass(int from, int to, Link& link) {
    Walker& receiver = walkers_[static_cast<std::size_t>(to)];
    if (link.held >= 0) return receiver.may(link.held) && (end(to, link), true);
    if (link.out.empty() || link.in.empty()) return false;
    const int sent = link.out.front(), received = link.in.front();
    Walker& sender = walkers_[static_cast<std::size_t>(from)];
    const Step& out = sender.ordered.steps[static_cast<std::size_t>(sent)];
    const Step& in = receiver.ordered.steps[static_cast<std::size_t>(received)];
    if (!sender.may(sent) || (in.action != Action::reduce && !receiver.may(received))) return false;
    link.out.pop_front();
    link.in.pop_front();
    if (out.first != in.first || out.blocks != in.blocks) {
      problem_ = fmt::format("step {} of {} sends blocks {}+{}, step {} of {} takes {}+{}", sent,
                             from, out.first, out.blocks, received, to, in.first, in.blocks);
      return false;
    }
    if (out.blocks == 0) receiver.tokens |= sender.tokens | only(from);
    const auto first = sender.blocks.begin() + in.first;
    link.held = received;
    link.room.assign(first, first + in.blocks);
    sender.done[static_cast<std::size_t>(sent)] = true;
    --sender.left;
    if (receiver.may(received)) end(to, link);
    return true;
  }

  /// What has arrived comes to its place.
  void end(int to, Link& link) {
    Walker& receiver = walkers_[static_cast<std::size_t>(to)];
    const auto received = static_cast<std::size_t>(std::exchange(link.held, -1));
    const Step& in = receiver.ordered.steps[received];
    for (std::size_t i = 0; i < link.room.size(); ++i) {
      take(to, static_cast<int>(received), in, in.first + static_cast<int>(i), link.room[i]);
    }
    receiver.done[received] = true;
    --receiver.left;
  }

  void take(int position, int index, const Step& step, int block, const Value& arrived) {
    Value& here =
        walkers_[static_cast<std::size_t>(position)].blocks[static_cast<std::size_t>(block)];
    const auto wrong = [&](const char* what) {
      if (problem_.empty()) {
        problem_ = fmt::format("step {} of {}, block {}: {}", index, position, block, what);
      }
    };
    if (arrived.from == 0) wrong("nothing is there to send");
    if (step.action == Action::receive) {
      here = arrived;
      return;
    }
    if (here.from == 0) wrong("nothing to reduce with");
    if ((here.from & arrived.from) != 0) wrong("a contribution is counted twice");
    here = {here.from | arrived.from,
            step.arrived_first ? mixed(arrived.made, here.made) : mixed(here.made, arrived.made)};
    if (step.complete != (here.from == all_)) wrong("complete, and not all are in, or the reverse");
  }

  void finish(int position) {
    const Walker& walker = walkers_[static_cast<std::size_t>(position)];
    if (walker.left > 0) {
      problem_ =
          fmt::format("position {} waits for ever, with {} steps left", position, walker.left);
      return;
    }
    const bool tokens = plan_.tokens || plan_.operation == Operation::barrier;
    if (tokens && plan_.ranks > 1 && (walker.tokens | only(position)) != all_) {
      problem_ = fmt::format("position {} ends before all have begun", position);
    }
    for (int block = 0; block < block_count(plan_) && problem_.empty(); ++block) {
      if (!is_right(position, block, walker.blocks[static_cast<std::size_t>(block)])) {
        problem_ =
            fmt::format("position {} ends with another block {} than it should", position, block);
      }
    }
  }

  bool is_right(int position, int block, const Value& value) const {
    if (gathers()) return value == own_value(block, block);
    if (plan_.operation == Operation::broadcast) return value == own_value(plan_.root, block);
    if (plan_.operation == Operation::all_to_all) {
      return block % plan_.ranks != position || value == own_value(block / plan_.ranks, block);
    }
    if (plan_.operation == Operation::reduce_scatter) {
      return block != position || value.from == all_;
    }
    const Value& first = walkers_.front().blocks[static_cast<std::size_t>(block)];
    return value.from == all_ && value == first;
  }

  const Plan& plan_;
  Set all_;
  std::vector<Walker> walkers_;
  std::map<std::pair<int, int>, Link> links_;  // from, to
  std::string problem_;
};

}  // namespace

Result<void> check(const Plan& plan) {
  std::vector<Steps> steps;
  for (int position = 0; position < plan.ranks; ++position) {
    steps.push_back(steps_of(plan, position));
  }
  return check_steps(plan, steps);
}

Result<void> check_steps(const Plan& plan, const std::vector<Steps>& steps) {
  CHECK(plan.ranks >= 1 && plan.ranks <= kCheckedRanksMax);
  CHECK_EQ(steps.size(), static_cast<std::size_t>(plan.ranks));
  return Check(plan, steps).run();
}

}  // namespace ringmaster::collectives::schedules

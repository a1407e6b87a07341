// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/call_text.h"
#include "collectives/tcp/farewell.h"

namespace ringmaster::collectives {

namespace {

// A small array is looked for again and again (yielding.h). A large one takes longer anyway, and
// the network's own work needs the processor.
constexpr std::size_t kSmallBytes = 64 * 1024;
// Longer than any step of a running operation waits, shorter than anybody's patience.
constexpr Duration kRollCallAfter = std::chrono::milliseconds(10);
// How much longer each member waits than the one before, to hear what that comes to.
constexpr Duration kTurn = std::chrono::milliseconds(20);
constexpr int kTakeTurns = 50;

}  // namespace

Executor::Executor(Mesh& mesh, Setup setup, Job& job)
    : mesh_(mesh),
      alarm_(mesh.alarm()),
      setup_(setup),
      job_(job),
      roll_(static_cast<int>(setup.members.size()), setup.self) {
  const int size = static_cast<int>(setup_.members.size());
  if (!job_.messages && size > 1) {
    for (const int step : {1, size - 1}) {
      lane_to(setup_.members[static_cast<std::size_t>((setup_.self + step) % size)]).neighbour =
          true;
    }
  }
  for (std::size_t i = 0; i < job_.tasks.size(); ++i) {
    const Task& task = job_.tasks[i];
    if (task.finished) continue;
    Lane& lane = lane_to(task.peer);
    lane.partner = job_.messages;
    (task.action == schedules::Action::send ? lane.out : lane.in).push_back(static_cast<int>(i));
  }
  unlinked_ = lanes_.size();
  small_ = std::ranges::all_of(job_.tasks,
                               [](const Task& task) { return task.stretch.bytes <= kSmallBytes; });
}

Lane& Executor::lane_to(int peer) {
  const auto found = std::ranges::find(lanes_, peer, &Lane::peer);
  if (found != lanes_.end()) return *found;
  lanes_.push_back({peer});
  return lanes_.back();
}

Result<void> Executor::run() {
  moved_at_ = read_clock();
  if (auto wanted = want_all(); !wanted) return wanted;
  for (bool idle = false;;) {
    if (alarm_.raised()) return error(Errc::generation_changed, "the generation has changed");
    bool moved = connect();
    for (Lane& lane : lanes_) {
      moved |= send(lane);
      moved |= receive(lane);
      // Before another lane has other words: these may be decided.
      if (!mismatch_.empty()) return farewell();
    }
    // A mismatch stops everything: there is no need to look for it while something moves.
    const bool yields = !moved && small_ && yield(idle);
    if (!moved && !yields) moved = listen();
    if (!mismatch_.empty()) return farewell();
    if (failed_) return *failed_;
    if (done()) return {};
    if (moved) {
      if (idle) moved_at_ = read_clock();
      if (idle && small_) mesh_.yielding().moved();
      idle = false;
      continue;
    }
    idle = true;
    if (!yields && !call_the_roll()) {
      sleep();
      check_patience();
    }
  }
}

/// Gives the processor away once, unless it is time to sleep.
bool Executor::yield(bool idle) {
  if (!idle) mesh_.yielding().begin(read_clock());
  return mesh_.yielding().yield();
}

Result<void> Executor::want_all() {
  for (Lane& lane : lanes_) {
    lane.link = mesh_.find(lane.peer);
    if (lane.link != nullptr) {
      --unlinked_;
      continue;
    }
    if (auto wanted = mesh_.want(lane.peer); !wanted) {
      return error(wanted.error().code, wanted.error().message);
    }
  }
  return {};
}

bool Executor::connect() {
  if (unlinked_ == 0) return false;
  mesh_.step(read_clock());
  const std::size_t before = unlinked_;
  for (Lane& lane : lanes_) {
    if (lane.link != nullptr) continue;
    lane.link = mesh_.find(lane.peer);
    if (lane.link != nullptr) --unlinked_;
  }
  return unlinked_ < before;
}

bool Executor::done() const {
  return unlinked_ == 0 && std::ranges::all_of(lanes_, [](const Lane& lane) {
           const bool half_out = lane.link->sending() && !lane.no_out;
           return lane.all_sent() && lane.all_received() && !half_out;
         });
}

void Executor::lose(const Lane& lane) {
  if (lost_at_) return;
  lost_at_ = read_clock();
  lost_ = lane.peer;
}

bool Executor::call_the_roll() {
  if (job_.messages || read_clock() - moved_at_ < kRollCallAfter || !roll_.add_self()) return false;
  for (Lane& lane : lanes_) lane.news = lane.neighbour;
  return true;
}

void Executor::sleep() {
  std::vector<pollfd> fds;
  for (const Lane& lane : lanes_) {
    if (lane.link == nullptr) continue;
    short events = 0;
    if (may_read(lane)) events |= POLLIN;
    if (lane.link->sending() && !lane.no_out) events |= POLLOUT;
    if (events != 0) fds.push_back({lane.link->fd(), events, 0});
  }
  const Time now = read_clock();
  Duration left = moved_at_ + setup_.timeout - now;
  if (lost_at_) left = std::min(left, std::max(*lost_at_, moved_at_) + setup_.grace - now);
  if (!job_.messages && !roll_.has(setup_.self)) {
    left = std::min(left, std::max(moved_at_ + kRollCallAfter - now, Duration{0}));
  }
  if (unlinked_ > 0) mesh_.add_to(fds, &left);
  alarm_.sleep(fds, left);
}

void Executor::check_patience() {
  const Time now = read_clock();
  if (unlinked_ > 0) failed_ = mesh_.lost(call_text(job_.call), setup_.grace);
  if (failed_) return;
  if (lost_at_ && now - std::max(*lost_at_, moved_at_) >= setup_.grace) {
    failed_ = error(Errc::closed,
                    fmt::format("the connection to rank {} is closed", mesh_.number(lost_)));
  } else if (now - moved_at_ >= setup_.timeout) {
    failed_ =
        Error{Errc::timed_out, late_text(job_.call, late_number(), to_seconds(setup_.timeout))};
  }
}

int Executor::late_number() const {
  const auto missing = roll_.missing();
  if (!job_.messages && missing) {
    return mesh_.number(setup_.members[static_cast<std::size_t>(*missing)]);
  }
  // All have called: one has stopped in the middle.
  const auto waits = std::ranges::find_if(lanes_, [](const Lane& lane) {
    return !lane.all_received() || !lane.all_sent() || lane.link == nullptr;
  });
  CHECK(waits != lanes_.end());
  return mesh_.number(waits->peer);
}

Error Executor::farewell() {
  Farewell farewell(lanes_, frame(FrameKind::differ, job_.call), mismatch_, told_by_);
  if (decided_ || setup_.self == 0) farewell.decide();
  Time until = read_clock() + std::min(setup_.timeout, kDecisionMax) +
               std::min(setup_.self, kTakeTurns) * kTurn;
  bool decided = false;
  while (!farewell.over() && !alarm_.raised()) {
    bool moved = connect();
    moved |= farewell.step();
    const Time now = read_clock();
    if (now >= until && farewell.decided()) break;
    if (now >= until) farewell.decide();
    if (farewell.decided() && !decided) {
      decided = moved = true;
      until = now + kFarewellMax;
    }
    if (moved) continue;
    Duration left = until - now;
    std::vector<pollfd> fds;
    farewell.add_to(fds);
    if (unlinked_ > 0) mesh_.add_to(fds, &left);
    alarm_.sleep(fds, left);
  }
  return {Errc::mismatch, farewell.words()};
}

Error Executor::error(Errc code, const std::string& what) const {
  return {code, call_text(job_.call) + ": " + what};
}

Frame Executor::frame(FrameKind kind, const Call& call) const {
  Frame frame;
  frame.kind = kind;
  frame.generation = mesh_.membership().generation;
  frame.operation = setup_.operation;
  frame.call = call;
  return frame;
}

}  // namespace ringmaster::collectives

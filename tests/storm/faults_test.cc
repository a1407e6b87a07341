// SPDX-License-Identifier: Apache-2.0
//
// Faults at random moments: ranks are killed, one or two at once and while the others re-form,
// stopped for a while, voted out while they are stopped, joined by others, and call what the others
// do not. All that live return in time, with the reason that it must be, and go on in the next
// generation with right results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/random.h"
#include "base/sanitized.h"
#include "tests/storm/host.h"
#include "tests/storm/settings.h"

namespace ringmaster::storm {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int kRanksAtFirst = 4;
constexpr int kRoundsOfAStorm = kSanitized ? 15 : 30;
/// From the abort to the last survivor's return: milliseconds, and a machine may be busy.
constexpr Duration kLeaveMax = std::chrono::seconds(kSanitized ? 20 : 3);

enum class Fault {
  kill_one,
  kill_two,
  kill_while_forming,
  short_stop,    // nobody is lost
  voted_out,     // while it is stopped
  stopped_late,  // the others' time-out is over before it goes on
  join,
  odd_call,
};
constexpr int kFaults = 8;

class Storming {
 public:
  Storming(Ways ways, std::uint64_t seed) : host_(ways, seed), random_(seed) {
    for (int number = 0; number < kRanksAtFirst; ++number) host_.start(number);
  }

  void run() {
    for (int round = 0; round < kRoundsOfAStorm && wrong_.empty(); ++round) {
      Fault fault = static_cast<Fault>(random_.below(kFaults));
      if (host_.numbers().size() <= 2) fault = Fault::join;
      story_ += fmt::format("round {}: fault {}, ranks {}\n", round, static_cast<int>(fault),
                            host_.numbers().size());
      play(fault);
    }
    if (wrong_.empty() && !host_.finish()) fail("a rank ended badly");
  }
  const std::string& wrong() const { return wrong_; }

 private:
  void play(Fault fault) {
    const bool odd = fault == Fault::odd_call, late = fault == Fault::stopped_late;
    Form form{
        .timeout_ms = late ? 60 : 60'000, .seed = random_.next(), .slow = random_.chance(0.5)};
    if (odd) {
      form.odd_number = any();
      form.odd_turn = random_.below(6);
    }
    host_.form(form);
    pause(random_.chance(0.3) ? 200 : 6000);
    if (odd) {
      if (!host_.wait_left(kLeaveMax)) return fail("a mismatch has not ended it");
      return judge_odd(form.odd_number);
    }
    strike(fault);
    if (!wrong_.empty()) return;
    if (!host_.wait_left(kLeaveMax)) return fail("a rank has not returned");
    for (const int number : host_.numbers()) {
      const Errc code = host_.code_of(number);
      const bool new_one = number == joined_;
      if (new_one || code == Errc::generation_changed || (late && code == Errc::timed_out))
        continue;
      return fail(fmt::format("rank {} ended with {}", number, host_.end_of(number)));
    }
    joined_ = -1;
  }

  void strike(Fault fault) {
    switch (fault) {
      case Fault::kill_one:
        host_.fence(any());
        return host_.abort();
      case Fault::kill_two:
        host_.fence(any());
        host_.fence(any());
        return host_.abort();
      case Fault::kill_while_forming:
        host_.fence(any());
        host_.abort();
        pause(300);
        return host_.fence(any());
      case Fault::short_stop:
        return stop_for_a_while();
      case Fault::voted_out: {
        const int number = any();
        host_.signal(number, SIGSTOP);
        pause(20'000);
        host_.abort();
        pause(1000);
        return host_.fence(number);
      }
      case Fault::stopped_late:
        return stop_beyond_the_time_out();
      case Fault::join:
        return add();
      case Fault::odd_call:
        return;
    }
  }

  /// Shorter than the time-out: the others wait, and it goes on as if nothing had been.
  void stop_for_a_while() {
    const int number = any();
    host_.signal(number, SIGSTOP);
    pause(30'000);
    const std::int64_t before = host_.calls();
    host_.signal(number, SIGCONT);
    const Time until = read_clock() + kLeaveMax;
    while (host_.calls() < before + 20 && read_clock() < until) pause(100);
    if (host_.calls() < before + 20) fail("nothing goes on after a stop");
    host_.abort();
  }

  void stop_beyond_the_time_out() {
    const int number = any();
    host_.signal(number, SIGSTOP);
    std::this_thread::sleep_for(milliseconds(150));
    host_.abort();
    // Fenced first when it is voted out; else it is told like all others.
    if (random_.chance(0.5)) return host_.fence(number);
    host_.signal(number, SIGCONT);
  }

  void add() {
    for (int number = 0; number < Form::kRanksMax; ++number) {
      const auto all = host_.numbers();
      if (std::count(all.begin(), all.end(), number) > 0) continue;
      joined_ = number;
      host_.start(number);
      break;
    }
    pause(3000);
    host_.abort();
  }

  void judge_odd(int odd_number) {
    const std::string odd = fmt::format("rank {} called ", odd_number);
    const std::string first = host_.end_of(host_.numbers().front());
    for (const int number : host_.numbers()) {
      const std::string text = host_.end_of(number);
      const bool names_both = text.find(odd) != std::string::npos &&
                              text.find(" called all_reduce of ") != std::string::npos &&
                              text.find(" called ") != text.rfind(" called ");
      if (host_.code_of(number) != Errc::mismatch || !names_both || text != first) {
        return fail(fmt::format("rank {} ended a mismatch with {}", number, text));
      }
    }
  }

  int any() {
    const auto all = host_.numbers();
    return all[random_.below(all.size())];
  }
  void pause(std::uint64_t microseconds_max) {
    std::this_thread::sleep_for(microseconds(random_.below(microseconds_max)));
  }
  void fail(const std::string& what) {
    wrong_ = what + "; " + host_.found() + "\n" + story_;
    for (const int number : host_.numbers()) {
      wrong_ += fmt::format("rank {}: {}\n", number, host_.end_of(number));
    }
  }

  Host host_;
  Random random_;
  int joined_ = -1;
  std::string story_, wrong_;
};

class Faults : public testing::TestWithParam<Ways> {};

TEST_P(Faults, EndInTheNextGenerationWithRightResults) {
  const auto only = read_storm_seed();
  const std::uint64_t stories = read_storm_stories(4, 1);
  for (std::uint64_t seed = only.value_or(0); seed < (only ? *only + 1 : stories); ++seed) {
    Storming storm(GetParam(), seed);
    storm.run();
    ASSERT_EQ(storm.wrong(), "") << "again: RINGMASTER_STORM_SEED=" << seed;
  }
}

std::string name_of_ways(const testing::TestParamInfo<Ways>& one) {
  constexpr const char* kNames[] = {"shm", "tcp", "hosts"};
  return kNames[static_cast<int>(one.param)];
}

INSTANTIATE_TEST_SUITE_P(Engines, Faults, testing::Values(Ways::shm, Ways::tcp, Ways::hosts),
                         name_of_ways);

}  // namespace
}  // namespace ringmaster::storm

// SPDX-License-Identifier: Apache-2.0
//
// Tells a signal from its echo. timeout(1) and supervisors signal a process and then its group, and
// the guard forwards: one wish of the user arrives up to three times within a few milliseconds. A
// second Ctrl-C, which means "at once", comes from a finger and takes longer than kEcho.
//
// Pure: the time is an argument.
#pragma once

#include <chrono>
#include <map>

#include "base/time.h"

namespace ringmaster::launcher {

class SignalFilter {
 public:
  /// Longer than a forward through a busy guard, shorter than two presses of a key.
  static constexpr Duration kEcho = std::chrono::milliseconds(100);

  /// True when the signal counts: no equal one was accepted less than kEcho ago.
  bool accept(int signal_number, Time now) {
    const auto [last, is_first] = accepted_.try_emplace(signal_number, now);
    if (is_first) return true;
    if (now - last->second < kEcho) return false;
    last->second = now;
    return true;
  }

 private:
  std::map<int, Time> accepted_;
};

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// Shows people how training goes: a bar on a terminal, a plain line now and then elsewhere.
//
// It decides when a line is due and what it says; the caller writes what it returns. The time is an
// argument, so that tests need neither a terminal nor patience. Between two lines a step costs one
// comparison.
//
// Pure. Not here: which rank shows it, and how wide the terminal is (settings.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace ringmaster::training {

struct ProgressFacts {
  std::int64_t step = 0;  // finished
  std::int64_t steps = 0;
  std::int64_t epoch = 0;  // of the finished step, from 0
  std::int64_t epochs = 0;
  double loss = 0;
  double images_per_s = 0;
  int world = 1;
  double seconds_left = 0;
};

/// "epoch 2/4  step 512/1876  loss 0.3512  6410 images/s  2 ranks  0:03:21 left".
std::string progress_text(const ProgressFacts& facts);

class Progress {
 public:
  /// `columns`: the width of the bar; 0 for plain lines.
  explicit Progress(int columns) : columns_(columns) {}

  /// What to write now, if anything.
  std::optional<std::string> update(Time now, const ProgressFacts& facts);
  /// What ends a bar's line, "" when no bar stands there.
  std::string end();

 private:
  int columns_;
  bool drawn_ = false;
  std::optional<Time> last_;
};

}  // namespace ringmaster::training

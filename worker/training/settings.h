// SPDX-License-Identifier: Apache-2.0
//
// What a user may choose of a training run: one line a flag, in settings.cc.
//
// Not here: what suits a model (network.h); 0 stands for "the model's own".
#pragma once

#include <cstdint>
#include <string>

#include "base/settings.h"

namespace ringmaster::training {

struct TrainSettings {
  std::string model = "cnn";
  std::int64_t epochs = 0;
  std::int64_t batch = 0;
  double learning_rate = 0;
  std::int64_t seed = 1;
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string metrics = "";
  std::int64_t steps = 0;
  std::int64_t images = 0;
  std::int64_t bucket = 25 << 20;
  std::string overlap = "off";
  std::string timeline = "";

  /// The flags that write to this object: keep it in place while they are in use.
  Flags flags();
};

/// The help page.
std::string train_help();

/// How wide a progress bar may be drawn on standard error; 0 when nobody watches a terminal. Under
/// a launcher standard error is a pipe, and the launcher says what stands at its other end.
int progress_columns();

}  // namespace ringmaster::training

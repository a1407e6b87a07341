// SPDX-License-Identifier: Apache-2.0
#include "worker/training/settings.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "worker/training/network.h"

namespace ringmaster::training {

namespace {

constexpr int kWidest = 1000;  // columns; a wider terminal gets a bar of this width

int columns_of_environment() {
  const char* text = std::getenv("RINGMASTER_TERMINAL");
  if (text == nullptr) return 0;
  const std::string_view word = text;
  int columns = 0;
  std::from_chars(word.data(), word.data() + word.size(), columns);
  return std::clamp(columns, 0, kWidest);
}

}  // namespace

Flags TrainSettings::flags() {
  return {
      {"--model", &model, "NAME", "which network", one_of(model_names())},
      {"--epochs", &epochs, "N", "passes over the training images, 0: what suits the model",
       between(0, 1000)},
      {"--batch", &batch, "N", "images a step, over all ranks together, 0: what suits the model",
       between(0, 60000)},
      {"--learning-rate", &learning_rate, "R", "its peak, 0: what suits the model", between(0, 10)},
      {"--seed", &seed, "N", "of the first weights and of the order of images", between(0, 1e15)},
      {"--data", &data, "DIR", "the folder of the data set's four IDX files"},
      {"--metrics", &metrics, "FILE", "write a JSON line there for each step; truncated at start"},
      {"--steps", &steps, "N", "end after this many steps, 0: when the epochs are over",
       between(0, 1e12)},
      {"--images", &images, "N", "use only the first N training images, 0: all",
       between(0, 250000)},
      {"--bucket", &bucket, "BYTES", "largest piece of gradients reduced at once",
       between(4, 1 << 30)},
      {"--overlap", &overlap, "on|off", "reduce a layer's gradients while others are computed",
       one_of({"on", "off"})},
      {"--timeline", &timeline, "FILE",
       "write there what the collectives do, for Perfetto; %r: a file for each rank"},
  };
}

std::string train_help() {
  TrainSettings defaults;
  return help_text("ringmaster-train [options]",
                   "Trains a small network on Fashion-MNIST, on as many ranks as it is started\n"
                   "with, and goes on when ranks are lost or join.",
                   defaults.flags(),
                   "ringrun -np 4 --elastic 2:4 ringmaster-train --model cnn --metrics run.jsonl");
}

int progress_columns() {
  if (const int columns = columns_of_environment(); columns > 0) return columns;
  winsize size{};
  if (::isatty(STDERR_FILENO) == 0) return 0;
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::min<int>(size.ws_col, kWidest) : 80;
}

}  // namespace ringmaster::training

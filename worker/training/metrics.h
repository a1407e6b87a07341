// SPDX-License-Identifier: Apache-2.0
//
// The lines of a metrics file (docs/metrics.md), as values turned into text.
//
// Pure: the time is an argument. Not here: the file (metrics_file.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::training {

/// What every rank of a generation knows of it.
struct GenerationFacts {
  std::int64_t generation = 0;
  int rank = 0;
  int position = 0;
  int world = 1;
  std::string members = {};  // "0 2 3"
  int lost = 0;
  int joined = 0;
  std::int64_t steps = 0;
  int source = 0;
  double heal_seconds = 0;
  std::string reason = {};
};

struct StartFacts {
  std::string_view model;
  int ranks;
  std::int64_t seed, epochs, steps, batch, train_images, test_images;
  std::string_view kernel;
};

struct StepFacts {
  std::int64_t step, epoch;
  double loss, images_per_s;
  std::int64_t first, images, counted;
};

struct ResultFacts {
  double accuracy;  // 0 to 1
  std::int64_t steps;
  double seconds, images_per_s;
  std::uint64_t weights;
};

// Each line ends with a newline. `time` is in seconds since 1970.
std::string start_line(double time, const StartFacts& start);
std::string generation_line(double time, const GenerationFacts& generation);
std::string step_line(double time, const GenerationFacts& generation, const StepFacts& step);
std::string result_line(double time, const GenerationFacts& generation, const ResultFacts& result);

/// `text` in quotes, as JSON wants it.
std::string json_text(std::string_view text);

}  // namespace ringmaster::training

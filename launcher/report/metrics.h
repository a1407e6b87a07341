// SPDX-License-Identifier: Apache-2.0
//
// What a training run wrote down: the JSON lines of docs/metrics.md as structs.
//
// Strict, because a report that skips what it does not understand proves nothing: a line that is no
// JSON, lacks a field or has one of the wrong kind is an error with its place. The one exception is
// an unfinished last line, which a writer that was killed leaves behind: it is left out, and said.
//
// A file that several runs appended to is read from its last `start` on; that is said as well.
//
// Not here: what the records mean together (summary.h), whether they add up (worker/training).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringmaster::launcher {

struct StartEvent {
  double time = 0;
  std::string model = {};
  int ranks = 0;
  std::int64_t seed = 0, epochs = 0, steps = 0, batch = 0, train_images = 0, test_images = 0;
  std::string kernel = {};
};

struct GenerationEvent {
  double time = 0;
  std::int64_t generation = 0;
  int rank = 0, world = 0;
  std::vector<int> members = {};
  int lost = 0, joined = 0;
  std::int64_t steps = 0;
  int source = 0;
  double heal_ms = 0;
  std::string reason = {};
};

struct StepEvent {
  double time = 0;
  std::int64_t step = 0, epoch = 0, generation = 0;
  int rank = 0, world = 0;
  double loss = 0, images_per_s = 0;
  std::int64_t first = 0, images = 0, counted = 0;
};

struct ResultEvent {
  double time = 0;
  int rank = 0;
  std::int64_t generation = 0;
  double accuracy = 0;
  std::int64_t steps = 0;
  double seconds = 0, images_per_s = 0;
  std::string weights = {};
};

struct Metrics {
  StartEvent start = {};
  std::vector<GenerationEvent> generations = {};
  std::vector<StepEvent> steps = {};
  std::vector<ResultEvent> results = {};
  std::vector<std::string> notes = {};  // what was left out, for people
};

/// Pure. `name` is the file's name, for messages ("run.jsonl:17: ...").
Result<Metrics> parse_metrics(std::string_view text, std::string_view name);

Result<Metrics> read_metrics(const std::string& path);

}  // namespace ringmaster::launcher

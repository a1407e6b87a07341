// SPDX-License-Identifier: Apache-2.0
#include "worker/training/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ringmaster::training {

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
      quoted += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
    } else {
      quoted += letter;
    }
  }
  return quoted + '"';
}

namespace {

/// "0 2 3" as "0,2,3".
std::string json_items(std::string words) {
  std::replace(words.begin(), words.end(), ' ', ',');
  return words;
}

/// JSON has no word for what a diverged loss is.
std::string json_loss(double loss) {
  return std::isfinite(loss) ? fmt::format("{:.6g}", loss) : "null";
}

}  // namespace

std::string start_line(double time, const StartFacts& start) {
  return fmt::format(
      R"({{"event":"start","time":{:.6f},"model":{},"ranks":{},"seed":{},"epochs":{},"steps":{},)"
      R"("batch":{},"train_images":{},"test_images":{},"kernel":{}}})"
      "\n",
      time, json_text(start.model), start.ranks, start.seed, start.epochs, start.steps, start.batch,
      start.train_images, start.test_images, json_text(start.kernel));
}

std::string generation_line(double time, const GenerationFacts& generation) {
  return fmt::format(
      R"({{"event":"generation","time":{:.6f},"generation":{},"rank":{},"world":{},"members":[{}],)"
      R"("lost":{},"joined":{},"steps":{},"source":{},"heal_ms":{:.3f},"reason":{}}})"
      "\n",
      time, generation.generation, generation.rank, generation.world,
      json_items(generation.members), generation.lost, generation.joined, generation.steps,
      generation.source, generation.heal_seconds * 1e3, json_text(generation.reason));
}

std::string step_line(double time, const GenerationFacts& generation, const StepFacts& step) {
  return fmt::format(
      R"({{"event":"step","time":{:.6f},"step":{},"epoch":{},"generation":{},"rank":{},)"
      R"("world":{},"loss":{},"images_per_s":{:.1f},"first":{},"images":{},"counted":{}}})"
      "\n",
      time, step.step, step.epoch, generation.generation, generation.rank, generation.world,
      json_loss(step.loss), step.images_per_s, step.first, step.images, step.counted);
}

std::string result_line(double time, const GenerationFacts& generation, const ResultFacts& result) {
  return fmt::format(
      R"({{"event":"result","time":{:.6f},"rank":{},"generation":{},"accuracy":{:.4f},)"
      R"("steps":{},"seconds":{:.3f},"images_per_s":{:.1f},"weights":"{:016x}"}})"
      "\n",
      time, generation.rank, generation.generation, result.accuracy, result.steps, result.seconds,
      result.images_per_s, result.weights);
}

}  // namespace ringmaster::training

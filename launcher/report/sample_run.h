// SPDX-License-Identifier: Apache-2.0
//
// A made-up run in the format of docs/metrics.md, for tests: 4 ranks, 700 steps, ranks 2 and 0
// killed and replaced. Its ledger adds up.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"

namespace ringmaster::launcher {

struct SampleGeneration {
  int first_step;
  std::vector<int> members;
  int lost, joined;
  double heal_ms;
  const char* reason;
};

inline const std::vector<SampleGeneration>& sample_generations() {
  static const std::vector<SampleGeneration> generations = {
      {0, {0, 1, 2, 3}, 0, 0, 0, "4 ranks started"},
      {210, {0, 1, 3}, 1, 0, 11.8, "rank 2 was killed by signal 9 (Killed)"},
      {236, {0, 1, 3, 2}, 0, 1, 6.1, "rank 2 joined as a replacement"},
      {452, {1, 3, 2}, 1, 0, 9.4, "rank 0 was killed by signal 9 (Killed)"},
      {480, {1, 3, 2, 0}, 0, 1, 5.7, "rank 0 joined as a replacement"},
  };
  return generations;
}

inline std::string sample_run() {
  constexpr int kSteps = 700, kBatch = 256, kTrainImages = 60000;
  Random random(7);
  double time = 1790000000.0;
  std::string text = fmt::format(R"({{"event":"start","time":{:.6f},"model":"cnn",)"
                                 R"("ranks":4,"seed":1,"epochs":3,"steps":{},"batch":{},)"
                                 R"("train_images":{},"test_images":10000,"kernel":"Haswell"}})"
                                 "\n",
                                 time, kSteps, kBatch, kTrainImages);
  int number = 0, epoch = 0, place = 0;
  std::vector<int> members;
  for (int step = 0; step < kSteps; ++step) {
    for (const SampleGeneration& g : sample_generations()) {
      if (g.first_step != step) continue;
      members = g.members;
      ++number;
      time += g.heal_ms / 1e3;
      text += fmt::format(
          R"({{"event":"generation","time":{:.6f},"generation":{},"rank":{},"world":{},)"
          R"("members":[{}],"lost":{},"joined":{},"steps":{},"source":{},)"
          R"("heal_ms":{},"reason":"{}"}})"
          "\n",
          time, number, members[0], members.size(), fmt::join(members, ","), g.lost, g.joined, step,
          members[0], g.heal_ms, g.reason);
    }
    const double rate =
        3600.0 * std::sqrt(static_cast<double>(members.size())) * (0.92 + 0.16 * random.unit());
    const int images = std::min(kBatch, kTrainImages - place);
    time += images / rate;
    const double loss = 0.28 + 2.05 * std::exp(-step / 70.0) +
                        0.22 * random.unit() * (0.4 + std::exp(-step / 200.0));
    for (const int rank : members) {
      text += fmt::format(R"({{"event":"step","time":{:.6f},"step":{},"epoch":{},"generation":{},)"
                          R"("rank":{},"world":{},"loss":{:.5f},)"
                          R"("images_per_s":{:.1f},"first":{},"images":{},"counted":{}}})"
                          "\n",
                          time, step, epoch, number, rank, members.size(), loss, rate, place,
                          images, images);
    }
    place += images;
    if (place == kTrainImages) place = 0, ++epoch;
  }
  for (const int rank : members) {
    text += fmt::format(R"({{"event":"result","time":{:.6f},"rank":{},"generation":{},)"
                        R"("accuracy":0.8971,"steps":{},"seconds":{:.3f},)"
                        R"("images_per_s":{:.1f},"weights":"5ad1c0ffee5717e5"}})"
                        "\n",
                        time, rank, number, kSteps, time - 1790000000.0,
                        kSteps * 256 / (time - 1790000000.0));
  }
  return text;
}

}  // namespace ringmaster::launcher

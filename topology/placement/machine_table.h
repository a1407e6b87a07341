// SPDX-License-Identifier: Apache-2.0
//
// What sets of one machine's GPUs are worth: to a job that gets them, and to those after it.
//
// Sets are bits by the GPUs' places. Worth is worked out when it is asked for and kept: of eight
// GPUs there are 256 sets, and few of them are ever looked at.
//
// Pure, but for what it keeps; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "topology/rings/wires.h"

namespace ringmaster::topology {

using GpuSet = std::uint32_t;
inline constexpr std::size_t kGpusOfMachineMost = 16;

int count_gpus(GpuSet set);
/// Places, ascending.
std::vector<int> places_in(GpuSet set);

/// GPUs for a job out of those that are free.
struct GpuChoice {
  GpuSet gpus = 0;
  double gb_s = 0;  // of the rings over them; infinite for a single one
  double harm = 0;  // what the others lose
};

class MachineTable {
 public:
  /// At most kGpusOfMachineMost GPUs.
  explicit MachineTable(Wires wires);

  const Wires& wires() const { return wires_; }
  GpuSet all() const { return static_cast<GpuSet>((std::uint64_t{1} << wires_.gpus()) - 1); }

  /// The bandwidth of the best rings over a set; infinite for one GPU.
  double gb_s(GpuSet set);

  /// How much jobs can still make of these free GPUs: for 1, 2, 4, 8 and 16 GPUs, as many as there
  /// are, so many times the best bandwidth that so many of them have, as a part of what they have
  /// when all of the machine is free. 15 for all of eight GPUs, 3 for two whose ring is as good as
  /// any pair's.
  double worth(GpuSet free);

  /// The choice of `count` of the free GPUs with the most bandwidth, and among those the one with
  /// the least harm: what `free` is worth more than what it leaves. Of up to 8 free GPUs all
  /// choices are tried; of more those that grow from one GPU by its nearest, and what such leave.
  GpuChoice choose(GpuSet free, int count);

  /// Sets of `count` of the free GPUs, as `choose` tries them.
  std::vector<GpuSet> candidates(GpuSet free, int count) const;

 private:
  double best_of(GpuSet free, int count);
  GpuSet grown(GpuSet free, int first, int count) const;

  const Wires wires_;
  std::map<GpuSet, double> gb_s_, worth_;
  std::map<std::pair<GpuSet, int>, double> best_of_;
  std::map<std::pair<GpuSet, int>, GpuChoice> chosen_;
};

}  // namespace ringmaster::topology

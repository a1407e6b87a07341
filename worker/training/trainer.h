// SPDX-License-Identifier: Apache-2.0
//
// Trainer: data-parallel training of one network, from the first generation to the last step,
// through every loss and every newcomer.
//
// A step of a generation: this rank's share of the global batch gives a sum of gradients; one fused
// vector [gradients | loss | counted places] is summed over the ranks; then every rank applies the
// same update. The state (weights, momentum) changes only after the whole vector is there, so a
// generation that ends in the middle of a step leaves nothing half done.
//
// With --overlap on, the vector is handed in layer by layer as soon as the backward pass has done
// with a layer, and reduced by the library's thread meanwhile; otherwise it is reduced when it is
// whole.
//
// The counted places are the proof that goes with the gradients: each rank puts a 1 where it used a
// sample, in the same vector, so a sample that was used twice or not at all is seen at once.
//
// Not here: how generations are formed (worker/session.h), which samples (sampler.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "worker/session.h"
#include "worker/training/metrics.h"
#include "worker/training/metrics_file.h"
#include "worker/training/network.h"
#include "worker/training/progress.h"
#include "worker/training/run_plan.h"
#include "worker/training/sampler.h"

namespace ringmaster::training {

/// What a run came to, as the last generation saw it.
struct TrainResult {
  GenerationFacts generation;
  ResultFacts facts{};
};

class Trainer {
 public:
  Trainer(const RunPlan& plan, worker::Session* session, MetricsFile* metrics, const Dataset* train,
          const Dataset* test);

  /// Trains to the end. An error other than a change of generation ends it.
  Result<TrainResult> run();

 private:
  /// Joins one generation and works in it until all is done or it changes.
  Result<TrainResult> run_generation();
  Result<void> enter_generation();
  Result<void> open_run();
  Result<void> prepare_tensors();
  Result<void> run_step();
  void compute_share(const Batch& batch);
  void hand_in(const std::string& name, std::size_t begin, std::size_t count);
  Result<void> reduce();
  Result<void> check_sums(const Batch& batch) const;
  Result<void> record_step(const Batch& batch, double loss);
  void show_progress(const Batch& batch, double loss);
  Result<TrainResult> evaluate();

  const RunPlan plan_;
  worker::Session* session_;
  MetricsFile* metrics_;
  const Dataset* train_;
  const Dataset* test_;
  Network network_;
  Progress progress_;
  std::vector<float> parameters_;
  std::vector<float> velocity_;
  // Gradients, loss, one place for each image of the global batch: in memory of the session that
  // the other ranks of the host see.
  std::span<float> sums_;
  Result<void> handed_in_;  // the first error of this step's tensors
  bool has_timeline_ = false;
  std::vector<std::uint32_t> order_;
  std::int64_t order_epoch_ = -1;
  GenerationFacts generation_;
  Time entered_;                  // the generation
  Time stepped_;                  // the last step's end, or entered_
  std::optional<Time> started_;   // this rank's first generation
  std::int64_t images_done_ = 0;  // since started_, by all ranks
  std::int64_t images_here_ = 0;  // since entered_
};

/// A 64-bit hash of the weights: equal on all ranks when they agree bit for bit (FNV-1a).
std::uint64_t hash_weights(std::span<const float> parameters);

}  // namespace ringmaster::training

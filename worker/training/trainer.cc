// SPDX-License-Identifier: Apache-2.0
#include "worker/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <utility>

#include "worker/training/blas.h"
#include "worker/training/optimiser.h"

namespace ringmaster::training {

namespace {

GenerationFacts facts_of(const ringmaster_generation& generation) {
  return {.generation = generation.generation,
          .rank = generation.rank,
          .position = generation.position,
          .world = generation.size,
          .members = generation.members,
          .lost = generation.lost,
          .joined = generation.joined,
          .steps = generation.steps,
          .source = generation.source,
          .heal_seconds = generation.heal_seconds,
          .reason = generation.reason};
}

double rate(double images, Duration duration) {
  return images / std::max(to_seconds(duration), 1e-9);
}

void show(const std::string& text) {
  // A terminal that went away is no reason to stop training.
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

std::uint64_t hash_weights(std::span<const float> parameters) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const float parameter : parameters) {
    const auto bits = std::bit_cast<std::uint32_t>(parameter);
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ (bits >> shift & 0xff)) * 0x100000001b3ULL;
    }
  }
  return hash;
}

Trainer::Trainer(const RunPlan& plan, worker::Session* session, MetricsFile* metrics,
                 const Dataset* train, const Dataset* test)
    : plan_(plan),
      session_(session),
      metrics_(metrics),
      train_(train),
      test_(test),
      network_(plan.model->make()),
      progress_(progress_columns()),
      parameters_(network_.parameters()),
      velocity_(network_.parameters()) {
  network_.initialise(parameters_, static_cast<std::uint64_t>(plan.seed));
}

Result<TrainResult> Trainer::run() {
  const std::size_t sums = parameters_.size() + 1 + static_cast<std::size_t>(plan_.batch);
  const auto memory = session_->communicator().allocate<float>(sums);
  if (!memory) return memory.error();
  sums_ = {*memory, sums};
  auto added = session_->add_state(parameters_.data(), parameters_.size() * sizeof(float));
  if (added) added = session_->add_state(velocity_.data(), velocity_.size() * sizeof(float));
  if (!added) return added.error();
  for (;;) {
    auto result = run_generation();
    show(progress_.end());
    if (result || result.error().code != Errc::generation_changed) return result;
  }
}

Result<TrainResult> Trainer::run_generation() {
  auto worked = enter_generation();
  while (worked && session_->steps() < plan_.steps) worked = run_step();
  if (!worked) return worked.error();
  auto result = evaluate();
  if (!result) return result;
  // The result is in the file before finish() says that nothing more can be lost.
  auto written =
      metrics_->append(result_line(read_wall_seconds(), result->generation, result->facts));
  if (written) written = session_->finish();
  if (written) written = session_->communicator().tensors().end_timeline();
  if (!written) return written.error();
  return result;
}

Result<void> Trainer::enter_generation() {
  auto joined = session_->join();
  if (!joined) return joined;
  generation_ = facts_of(session_->generation());
  entered_ = stepped_ = read_clock();
  images_here_ = 0;
  if (!started_) started_ = entered_;
  // The first generation may have ended before its writer came this far. One that begins with steps
  // goes on from a checkpoint of another run.
  const bool first = generation_.steps == 0 || generation_.generation <= 1;
  const bool writer = generation_.position == 0;
  if (writer && first) joined = open_run();
  if (joined && writer) {
    joined = metrics_->append(generation_line(read_wall_seconds(), generation_));
  }
  // Nobody writes a line before the file is emptied.
  if (joined && first) joined = session_->communicator().barrier();
  return joined ? prepare_tensors() : joined;
}

Result<void> Trainer::prepare_tensors() {
  worker::NamedTensors tensors = session_->communicator().tensors();
  if (!plan_.timeline.empty() && !std::exchange(has_timeline_, true)) {
    // A replacement goes on with the file of the rank that was lost.
    auto begun = tensors.begin_timeline(plan_.timeline, generation_.generation > 1);
    if (!begun) return begun;
  }
  return tensors.configure(plan_.bucket * sizeof(float));
}

Result<void> Trainer::open_run() {
  if (generation_.generation <= 1 && generation_.steps == 0) {
    auto emptied = metrics_->empty();
    if (!emptied) return emptied;
  }
  return metrics_->append(
      start_line(read_wall_seconds(), {.model = plan_.model->name,
                                       .ranks = generation_.world,
                                       .seed = plan_.seed,
                                       .epochs = plan_.epochs,
                                       .steps = plan_.steps,
                                       .batch = plan_.batch,
                                       .train_images = plan_.train_images,
                                       .test_images = static_cast<std::int64_t>(test_->size()),
                                       .kernel = blas_kernel()}));
}

Result<void> Trainer::run_step() {
  const std::int64_t step = session_->steps();
  const Batch batch = batch_of_step(step, plan_.train_images, plan_.batch);
  compute_share(batch);
  auto reduced = reduce();
  if (reduced) reduced = check_sums(batch);
  if (!reduced) return reduced;

  const double images = static_cast<double>(batch.images);
  const double loss = sums_[parameters_.size()] / images;
  // From here to step_finished() the state changes, and no collective stands between.
  Optimiser{}.apply(
      parameters_, velocity_, sums_.first(parameters_.size()), static_cast<float>(1 / images),
      static_cast<float>(learning_rate(step, plan_.scheduled_steps, plan_.learning_rate)));
  auto recorded = record_step(batch, loss);
  if (!recorded) return recorded;
  return session_->step_finished();
}

void Trainer::compute_share(const Batch& batch) {
  if (order_epoch_ != batch.epoch) {
    order_ = permutation(static_cast<std::uint64_t>(plan_.seed), batch.epoch, plan_.train_images);
    order_epoch_ = batch.epoch;
  }
  const Share share = share_of(batch.images, generation_.world, generation_.position);
  const auto first = static_cast<std::size_t>(share.first);
  const auto count = static_cast<std::size_t>(share.count);
  const auto samples = std::span<const std::uint32_t>(order_).subspan(
      static_cast<std::size_t>(batch.first) + first, count);
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  const auto gradients = sums_.first(parameters_.size());
  const auto counted = sums_.subspan(parameters_.size() + 1).subspan(first, count);
  handed_in_ = {};
  Network::Complete complete;
  if (plan_.overlap) {
    complete = [this](std::size_t begin, std::size_t size) {
      hand_in(fmt::format("gradients from {}", begin), begin, size);
    };
  }
  sums_[parameters_.size()] =
      static_cast<float>(network_.add_gradient(parameters_, *train_, samples, gradients, complete));
  for (float& place : counted) place += 1;
  if (!plan_.overlap) return;
  hand_in("loss and counts", parameters_.size(), sums_.size() - parameters_.size());
}

void Trainer::hand_in(const std::string& name, std::size_t begin, std::size_t count) {
  float* data = sums_.data() + begin;
  // After an error the rest of the pass is for nothing, and over in milliseconds.
  if (handed_in_) handed_in_ = session_->communicator().tensors().hand_in(name, data, data, count);
}

Result<void> Trainer::reduce() {
  worker::Communicator ring = session_->communicator();
  if (plan_.overlap) {
    // In any case: while a tensor is on its way the vector is not ours.
    auto all = ring.tensors().wait_all();
    return handed_in_ ? all : handed_in_;
  }
  for (std::size_t at = 0; at < sums_.size(); at += plan_.bucket) {
    float* bucket = sums_.data() + at;
    auto reduced = ring.all_reduce(bucket, bucket, std::min(plan_.bucket, sums_.size() - at));
    if (!reduced) return reduced;
  }
  return {};
}

Result<void> Trainer::check_sums(const Batch& batch) const {
  const auto places = sums_.subspan(parameters_.size() + 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float expected = i < static_cast<std::size_t>(batch.images) ? 1 : 0;
    if (places[i] == expected) continue;
    return Error{Errc::corrupt,
                 fmt::format("step {}: place {} of epoch {} was counted {} times, expected {}",
                             session_->steps(), batch.first + static_cast<std::int64_t>(i),
                             batch.epoch, places[i], expected)};
  }
  if (std::isfinite(sums_[parameters_.size()])) return {};
  return Error{Errc::invalid,
               fmt::format("step {}: the loss is not finite: try a --learning-rate below {}",
                           session_->steps(), plan_.learning_rate)};
}

Result<void> Trainer::record_step(const Batch& batch, double loss) {
  const Time now = read_clock();
  const double images_per_s = rate(static_cast<double>(batch.images), now - stepped_);
  stepped_ = now;
  images_done_ += batch.images;
  images_here_ += batch.images;
  if (generation_.position == 0) show_progress(batch, loss);
  if (!metrics_->wanted()) return {};
  // check_sums() has seen each of the batch's places counted once, and no other.
  const auto places = sums_.subspan(parameters_.size() + 1);
  const auto counted = std::count(places.begin(), places.end(), 1.0F);
  return metrics_->append(step_line(read_wall_seconds(), generation_,
                                    {.step = session_->steps(),
                                     .epoch = batch.epoch,
                                     .loss = loss,
                                     .images_per_s = images_per_s,
                                     .first = batch.first,
                                     .images = batch.images,
                                     .counted = counted}));
}

void Trainer::show_progress(const Batch& batch, double loss) {
  // The rate since the generation began: that of one step jumps about too much to be read.
  const std::int64_t finished = session_->steps() + 1;
  const double images_per_s = rate(static_cast<double>(images_here_), stepped_ - entered_);
  const double images_left = static_cast<double>((plan_.steps - finished) * plan_.batch);
  const auto text = progress_.update(stepped_, {.step = finished,
                                                .steps = plan_.steps,
                                                .epoch = batch.epoch,
                                                .epochs = plan_.epochs,
                                                .loss = loss,
                                                .images_per_s = images_per_s,
                                                .world = generation_.world,
                                                .seconds_left = images_left / images_per_s});
  if (text) show(*text);
}

Result<TrainResult> Trainer::evaluate() {
  const Share share =
      share_of(static_cast<std::int64_t>(test_->size()), generation_.world, generation_.position);
  std::vector<std::int64_t> correct = {
      network_.count_correct(parameters_, *test_, static_cast<std::size_t>(share.first),
                             static_cast<std::size_t>(share.count))};
  auto summed = session_->communicator().all_reduce(correct);
  if (!summed) return summed.error();
  // A rank that joined after the last step has trained nothing: its time is 0, its rate too.
  const Duration trained = stepped_ - *started_;
  return TrainResult{
      .generation = generation_,
      .facts = {.accuracy = static_cast<double>(correct[0]) / static_cast<double>(test_->size()),
                .steps = session_->steps(),
                .seconds = to_seconds(trained),
                .images_per_s = rate(static_cast<double>(images_done_), trained),
                .weights = hash_weights(parameters_)}};
}

}  // namespace ringmaster::training

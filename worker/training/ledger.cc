// SPDX-License-Identifier: Apache-2.0
#include "worker/training/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace ringmaster::training {

namespace {

using Records = std::span<const StepRecord>;

Error broken(std::int64_t step, const std::string& what) {
  return {Errc::corrupt, fmt::format("step {}: {}", step, what)};
}

/// The ranks of one generation must tell the same about a step, each once.
Result<void> check_agreement(Records same_generation) {
  const StepRecord& one = same_generation.front();
  for (std::size_t i = 1; i < same_generation.size(); ++i) {
    const StepRecord& other = same_generation[i];
    if (other.rank == same_generation[i - 1].rank) {
      return broken(one.step, fmt::format("rank {} finished it twice in generation {}", other.rank,
                                          one.generation));
    }
    const bool equal = std::tie(one.epoch, one.first, one.images, one.counted) ==
                       std::tie(other.epoch, other.first, other.images, other.counted);
    if (!equal) {
      return broken(one.step, fmt::format("ranks {} and {} disagree in generation {}", one.rank,
                                          other.rank, one.generation));
    }
  }
  return {};
}

/// Follows the history from step to step.
class Cursor {
 public:
  explicit Cursor(std::int64_t train_images) : train_images_(train_images) {}

  Result<void> advance(const StepRecord& record) {
    if (record.generation < generation_) {
      return broken(record.step, fmt::format("generation {} follows generation {}: it was not "
                                             "repeated after the step before it was",
                                             record.generation, generation_));
    }
    if (record.epoch != epoch_ || record.first != place_ || record.images <= 0) {
      return broken(record.step,
                    fmt::format("holds {} places from {} of epoch {}, expected from {} of epoch {}",
                                record.images, record.first, record.epoch, place_, epoch_));
    }
    if (record.images > train_images_ - place_) {
      return broken(record.step,
                    fmt::format("reaches beyond the {} training images", train_images_));
    }
    if (record.counted != record.images) {
      return broken(record.step,
                    fmt::format("{} of {} samples counted", record.counted, record.images));
    }
    summary_.steps += 1;
    summary_.images += record.images;
    summary_.generations += record.generation != generation_ ? 1 : 0;
    generation_ = record.generation;
    place_ += record.images;
    if (place_ == train_images_) {
      place_ = 0;
      epoch_ += 1;
      summary_.epochs += 1;
    }
    return {};
  }
  /// Where an earlier run has left off, is known from the first record alone.
  void begin_at(const StepRecord& record) {
    epoch_ = record.epoch;
    place_ = record.first;
  }
  void count_repeated() { summary_.repeated += 1; }
  const LedgerSummary& summary() const { return summary_; }

 private:
  std::int64_t train_images_;
  std::int64_t generation_ = -1;
  std::int64_t epoch_ = 0;
  std::int64_t place_ = 0;
  LedgerSummary summary_;
};

/// Takes the records of one step from the front of `rest`; they are sorted, the newest first.
Result<void> check_step(std::int64_t step, Records* rest, Cursor* cursor) {
  if (rest->empty() || rest->front().step > step) return broken(step, "nobody finished it");
  const auto of_step = std::find_if(rest->begin(), rest->end(),
                                    [&](const StepRecord& record) { return record.step != step; });
  const auto newest = std::find_if(rest->begin(), of_step, [&](const StepRecord& record) {
    return record.generation != rest->front().generation;
  });
  const auto count = static_cast<std::size_t>(newest - rest->begin());
  auto checked = check_agreement(rest->first(count));
  if (checked) checked = cursor->advance(rest->front());
  if (newest != of_step) cursor->count_repeated();
  *rest = rest->subspan(static_cast<std::size_t>(of_step - rest->begin()));
  return checked;
}

}  // namespace

Result<LedgerSummary> check_ledger(std::vector<StepRecord> records, std::int64_t steps,
                                   std::int64_t train_images, std::int64_t from) {
  if (steps < 0 || from < 0 || train_images <= 0) {
    return Error{Errc::invalid,
                 fmt::format("a ledger of {} steps over {} training images", steps, train_images)};
  }
  std::sort(records.begin(), records.end(), [](const StepRecord& a, const StepRecord& b) {
    return std::tie(a.step, b.generation, a.rank) < std::tie(b.step, a.generation, b.rank);
  });
  Records rest(records);
  if (!rest.empty() && rest.front().step < 0) return broken(rest.front().step, "below 0");
  Cursor cursor(train_images);
  if (from > 0 && !rest.empty()) cursor.begin_at(rest.front());
  for (std::int64_t step = from; step < steps; ++step) {
    auto checked = check_step(step, &rest, &cursor);
    if (!checked) return checked.error();
  }
  if (!rest.empty()) {
    return broken(rest.front().step, fmt::format("beyond the last of {} steps", steps));
  }
  return cursor.summary();
}

}  // namespace ringmaster::training

// SPDX-License-Identifier: Apache-2.0
//
// What a program's thread does with named tensors; the queue's thread is in tensor_cycle.cc.
#include "collectives/tensors/tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/tensors/tensor_batch.h"

namespace ringmaster::collectives {

Tensors::Tensors(TensorSettings settings, std::vector<int> numbers, FusionMemory& memory,
                 std::shared_ptr<Timeline> timeline)
    : settings_(settings),
      numbers_(std::move(numbers)),
      timeline_(std::move(timeline)),
      fusion_(memory) {}

Result<Tensors::Submitted> Tensors::submit(Tensor tensor, const void* input, void* output) {
  if (tensor.name.empty() || tensor.name.size() > kNameLongest) {
    return Error{Errc::invalid, fmt::format("tensor: a name has 1 to {} bytes", kNameLongest)};
  }
  const std::lock_guard lock(mutex_);
  if (names_.size() >= kPendingMost) {
    return Error{Errc::exhausted, fmt::format("tensor {}: {} are on their way: wait for some first",
                                              tensor.name, kPendingMost)};
  }
  if (!names_.insert(tensor.name).second) {
    return Error{Errc::invalid,
                 fmt::format("tensor {}: it is on its way already: wait for it", tensor.name)};
  }
  Submitted submitted{.work = std::make_shared<Work>(), .opened = nullptr};
  if (!current_) submitted.opened = current_ = std::make_shared<Batch>();
  const bool wake = current_->pending.empty();
  current_->bytes += tensor.count * size_of(tensor.type);
  current_->pending.push_back({std::move(tensor), input, output, submitted.work, read_clock(), {}});
  ++outstanding_;
  ++changes_;
  // Not for each: waking the thread costs more than handing a tensor in.
  if (current_->bytes >= settings_.bucket_bytes) {
    current_->bytes = 0;
    hurry_ = true;
  }
  if (wake || hurry_) changed_.notify_all();
  return submitted;
}

void Tensors::close_batch() {
  const std::lock_guard lock(mutex_);
  if (!current_) return;
  current_->closing = true;
  current_.reset();
  hurry_ = true;
  ++changes_;
  changed_.notify_all();
}

Result<void> Tensors::wait_all(Duration at_most) {
  close_batch();
  std::unique_lock lock(mutex_);
  if (!all_over_.wait_for(lock, at_most, [this] { return outstanding_ == 0; })) {
    return Error{Errc::timed_out, fmt::format("wait_all: {} tensors are on their way after {} s",
                                              outstanding_, to_seconds(at_most))};
  }
  if (!first_error_) return {};
  const Error error = *first_error_;
  first_error_.reset();
  return error;
}

void Tensors::hurry() {
  const std::lock_guard lock(mutex_);
  hurry_ = true;
  ++changes_;
  changed_.notify_all();
}

std::string Tensors::warning() const {
  const std::lock_guard lock(mutex_);
  return warning_;
}

void Tensors::fail(Batch& batch, const Error& error) {
  std::vector<Pending> left;
  {
    const std::lock_guard lock(mutex_);
    left = std::exchange(batch.pending, {});
    // What comes later opens a batch of its own.
    if (current_.get() == &batch) current_.reset();
  }
  for (const Pending& pending : left) finish(pending, error);
}

void Tensors::finish(const Pending& pending, const Result<void>& result) {
  {
    const std::lock_guard lock(mutex_);
    CHECK_EQ(names_.erase(pending.tensor.name), 1u);
    if (!result && !first_error_) first_error_ = result.error();
  }
  pending.work->finish(result);
  const std::lock_guard lock(mutex_);
  CHECK_LT(0u, outstanding_);
  if (--outstanding_ == 0) all_over_.notify_all();
}

void Tensors::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  ++changes_;
  changed_.notify_all();
}

}  // namespace ringmaster::collectives

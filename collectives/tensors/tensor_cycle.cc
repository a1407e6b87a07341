// SPDX-License-Identifier: Apache-2.0
//
// The cycles of a batch: wait for news, vote, call the roll when needed, reduce what all have.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/tensors/tensor_batch.h"
#include "collectives/tensors/tensors.h"

namespace ringmaster::collectives {

namespace {

/// A rank without tensors comes to a cycle that often, so that others can hear what it lacks.
constexpr Duration kIdleCycle = std::chrono::milliseconds(100);
/// The first tensor waits that long for others to come with it, unless somebody waits for it: a
/// cycle takes processor time from the computation, on every rank.
constexpr Duration kGather = std::chrono::milliseconds(1);
/// Between cycles in which ranks have different tensors: no more than two ranks' hand-over costs at
/// first, and no less than would be noticed in the end.
constexpr Duration kPaceLeast = std::chrono::microseconds(50);
constexpr Duration kPaceMost = std::chrono::milliseconds(1);
/// After so long a wait the roll is called: a tensor may differ from another rank's of its name.
constexpr Duration kLookLeast = std::chrono::milliseconds(100);
constexpr Duration kLookMost = std::chrono::seconds(2);
/// Names that ranks vote on. Programs that make up names for every step must not grow the vote
/// without end: beyond this all are forgotten at once, and the next cycle learns those in use.
constexpr std::size_t kKnownMost = 16384;
constexpr std::size_t kAnnouncementBytesMost = Tensors::kPendingMost * (Tensors::kNameLongest + 64);

// Of the vote: the reduction is the minimum, so a 1 comes out where all ranks said 1.
constexpr std::size_t kQuiet = 0;    // no reason to call the roll
constexpr std::size_t kClosing = 1;  // hands nothing more in
constexpr std::size_t kVoted = 2;    // has nothing in hand on which there is no vote yet
constexpr std::size_t kHeader = 3;   // then for each name: has it, has it not

}  // namespace

Result<void> Tensors::run(Communicator& engine, Batch& batch) {
  progress_ = true;
  next_look_ = read_clock() + kLookLeast;
  look_after_ = kLookLeast;
  Result<bool> over = false;
  while (over && !*over) {
    if (wait_for_news(batch)) {
      over = cycle(engine, batch);
    } else {
      over = Error{Errc::generation_changed, "tensors: the generation has ended"};
    }
  }
  return over ? Result<void>() : over.error();
}

bool Tensors::wait_for_news(const Batch& batch) {
  std::unique_lock lock(mutex_);
  Duration limit{};
  if (batch.pending.empty() && !batch.closing) {
    limit = kIdleCycle;
  } else if (!progress_) {
    limit = pace_ = std::min(std::max(kPaceLeast, pace_ * 2), kPaceMost);
  }
  changed_.wait_for(lock, limit, [this] { return stopped_ || changes_ != seen_; });
  if (changes_ != seen_) pace_ = Duration::zero();
  while (!stopped_ && !hurry_) {
    const Duration more = worth_waiting(batch);
    if (more <= Duration::zero()) break;
    changed_.wait_for(lock, more, [&] { return stopped_ || hurry_; });
  }
  hurry_ = false;
  seen_ = changes_;
  return !stopped_;
}

Duration Tensors::worth_waiting(const Batch& batch) const {
  if (batch.closing || batch.pending.empty()) return {};
  std::uint64_t bytes = 0;
  for (const Pending& pending : batch.pending) {
    if (pending.voted) return {};  // others may have come with it by now
    bytes += pending.bytes();
  }
  if (bytes >= settings_.bucket_bytes) return {};
  return batch.pending.front().submitted + kGather - read_clock();
}

std::vector<std::uint8_t> Tensors::vote(Batch& batch) const {
  std::vector<std::uint8_t> votes(kHeader + 2 * known_.size());
  for (std::size_t id = 0; id < known_.size(); ++id) votes[kHeader + 2 * id + 1] = 1;
  bool quiet = true, voted = true;
  const std::lock_guard lock(mutex_);
  for (Pending& pending : batch.pending) {
    pending.voted = true;
    const auto found = ids_.find(pending.tensor.name);
    if (found == ids_.end() || !(known_[found->second].tensor == pending.tensor)) {
      voted = false;
      quiet = quiet && pending.announced;  // ranks must hear of it first
      continue;
    }
    votes[kHeader + 2 * found->second] = 1;
    votes[kHeader + 2 * found->second + 1] = 0;
  }
  if (!batch.pending.empty() && read_clock() >= next_look_) quiet = false;
  votes[kQuiet] = quiet ? 1 : 0;
  votes[kClosing] = batch.closing ? 1 : 0;
  votes[kVoted] = voted ? 1 : 0;
  return votes;
}

Result<bool> Tensors::cycle(Communicator& engine, Batch& batch) {
  std::vector<std::uint8_t> votes = vote(batch);
  const auto agreed =
      engine.all_reduce(votes.data(), votes.data(), votes.size(), RINGMASTER_UINT8, RINGMASTER_MIN);
  if (!agreed) return explain(batch, agreed.error());
  std::vector<std::size_t> ready;
  bool waiting = votes[kVoted] == 0;  // some rank has a tensor that another has not
  for (std::size_t id = 0; id < known_.size(); ++id) {
    if (votes[kHeader + 2 * id] != 0) {
      ready.push_back(id);
    } else if (votes[kHeader + 2 * id + 1] == 0) {
      waiting = true;
    }
  }
  progress_ = !ready.empty();
  if (progress_) {
    next_look_ = read_clock() + (look_after_ = kLookLeast);
    auto reduced = reduce(engine, batch, take(batch, ready));
    if (!reduced) return reduced.error();
  }
  const bool quiet = votes[kQuiet] != 0, closing = votes[kClosing] != 0;
  // When all have closed, what is still waiting will wait for ever: the roll says who lacks it.
  if (quiet && !(closing && waiting && ready.empty())) return closing && !waiting;
  const auto called = call_roll(engine, batch);
  if (!called) return called.error();
  return false;
}

Result<void> Tensors::call_roll(Communicator& engine, Batch& batch) {
  ++roll_calls_;
  const std::vector<std::byte> own = encode(announce(batch, engine.timeout()));
  const auto ranks = static_cast<std::size_t>(engine.size());
  const auto size = static_cast<std::int64_t>(own.size());
  std::vector<std::int64_t> sizes(ranks);
  auto gathered = engine.all_gather(&size, sizes.data(), 1, RINGMASTER_INT64);
  if (!gathered) return gathered;
  for (const std::int64_t one : sizes) {
    if (one < 0 || static_cast<std::size_t>(one) > kAnnouncementBytesMost) {
      return Error{Errc::corrupt, fmt::format("tensors: a rank announced {} bytes", one)};
    }
  }
  const Counts counts(sizes.begin(), sizes.end());
  std::vector<std::byte> all(total(counts));
  gathered = engine.all_gather(own.data(), all.data(), counts, RINGMASTER_UINT8);
  if (!gathered) return gathered;
  std::vector<Announcement> announcements;
  for (std::size_t position = 0; position < ranks; ++position) {
    const std::size_t begin = before(counts, static_cast<int>(position));
    auto decoded = decode(std::span(all).subspan(begin, counts[position]));
    if (!decoded) return decoded.error();
    announcements.push_back(std::move(*decoded));
  }
  const Verdict verdict = judge(announcements, numbers_, settings_.warn_after);
  {
    const std::lock_guard lock(mutex_);
    warning_ = verdict.warning;
  }
  if (verdict.error) return *verdict.error;
  // Names get their places when the first position has them: all places are then in the order of
  // one rank's memory (buckets.h).
  learn(announcements.front());
  look_after_ = std::min(look_after_ * 2, kLookMost);
  next_look_ = read_clock() + look_after_;
  return {};
}

Announcement Tensors::announce(Batch& batch, Duration timeout) const {
  const std::lock_guard lock(mutex_);
  Announcement own{.closing = batch.closing,
                   .bucket_bytes = settings_.bucket_bytes,
                   .timeout = timeout,
                   .tensors = {}};
  const Time now = read_clock();
  for (Pending& pending : batch.pending) {
    pending.announced = true;
    own.tensors.push_back({.tensor = pending.tensor,
                           .address = reinterpret_cast<std::uintptr_t>(pending.output),
                           .age = now - pending.submitted});
  }
  return own;
}

void Tensors::learn(const Announcement& first) {
  if (known_.size() + first.tensors.size() > kKnownMost) {
    known_.clear();
    ids_.clear();
  }
  for (const Announced& announced : first.tensors) {
    const Known known{announced.tensor, announced.address};
    const auto [place, fresh] = ids_.emplace(known.tensor.name, known_.size());
    if (!fresh && known_[place->second].tensor == known.tensor) continue;
    if (fresh) {
      known_.push_back(known);
    } else {
      known_[place->second] = known;
    }
    progress_ = true;
  }
}

std::vector<Tensors::Pending> Tensors::take(Batch& batch, const std::vector<std::size_t>& ids) {
  std::vector<Pending> taken(ids.size());
  const Time now = read_clock();
  std::size_t found = 0;
  const std::lock_guard lock(mutex_);
  std::vector<Pending> left;
  for (Pending& pending : batch.pending) {
    const auto id = ids_.find(pending.tensor.name);
    const auto place =
        id == ids_.end() ? ids.end() : std::lower_bound(ids.begin(), ids.end(), id->second);
    if (place == ids.end() || *place != id->second) {
      left.push_back(std::move(pending));
      continue;
    }
    pending.agreed = now;
    taken[static_cast<std::size_t>(place - ids.begin())] = std::move(pending);
    ++found;
  }
  batch.pending = std::move(left);
  CHECK_EQ(found, ids.size());
  return taken;
}

Result<void> Tensors::reduce(Communicator& engine, Batch& batch, std::vector<Pending> ready) {
  std::vector<ReadyTensor> plan;
  for (const Pending& pending : ready) {
    const std::size_t id = ids_.at(pending.tensor.name);
    plan.push_back(
        {id, pending.tensor.type, pending.tensor.reduction, pending.bytes(), known_[id].address});
  }
  Result<void> status;
  for (const auto& bucket : plan_buckets(plan, settings_.bucket_bytes)) {
    if (status) status = reduce_bucket(engine, ready, bucket);
    for (const std::size_t i : bucket) {
      if (status) {
        finish(ready[i], {});
      } else {
        // It ends with the batch.
        const std::lock_guard lock(mutex_);
        batch.pending.push_back(std::move(ready[i]));
      }
    }
  }
  return status;
}

Result<void> Tensors::reduce_bucket(Communicator& engine, const std::vector<Pending>& ready,
                                    const std::vector<std::size_t>& bucket) {
  std::vector<Piece> pieces;
  for (const std::size_t i : bucket) {
    pieces.push_back({static_cast<const std::byte*>(ready[i].input),
                      static_cast<std::byte*>(ready[i].output), ready[i].bytes()});
  }
  const Tensor& first = ready[bucket.front()].tensor;
  const auto times = fusion_.reduce(engine, pieces, first.type, first.reduction);
  if (!times) return times.error();
  for (const std::size_t i : bucket) {
    if (timeline_) trace(ready[i], *times);
  }
  return {};
}

Error Tensors::explain(const Batch& batch, const Error& error) const {
  const std::lock_guard lock(mutex_);
  if (error.code == Errc::generation_changed || batch.pending.empty()) return error;
  return {error.code,
          fmt::format("tensor {} and {} others, on their way: {}",
                      batch.pending.front().tensor.name, batch.pending.size() - 1, error.message)};
}

void Tensors::trace(const Pending& pending, const FusionTimes& times) const {
  const std::string& row = pending.tensor.name;
  timeline_->span(row, "negotiate", pending.submitted, pending.agreed, pending.bytes());
  timeline_->span(row, "queue", pending.agreed, times.begin);
  timeline_->span(row, "reduce", times.reduced_from, times.reduced_to, pending.bytes());
  if (!times.copied) return;
  timeline_->span(row, "fuse", times.begin, times.reduced_from);
  timeline_->span(row, "take apart", times.reduced_to, times.end);
}

}  // namespace ringmaster::collectives

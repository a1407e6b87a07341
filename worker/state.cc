// SPDX-License-Identifier: Apache-2.0
#include "worker/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/random.h"

namespace ringmaster::worker {

namespace {

// What ranks tell each other before anything moves.
struct Summary {
  std::int64_t steps;
  std::int64_t bytes;
  std::int64_t layout;
};
constexpr std::size_t kSummaryWords = sizeof(Summary) / sizeof(std::int64_t);

int best_source(const std::vector<Summary>& all) {
  const auto best = std::max_element(
      all.begin(), all.end(),
      [](const Summary& a, const Summary& b) { return a.steps < b.steps; });  // the first of equals
  return static_cast<int>(best - all.begin());
}

Result<void> check_layouts(const std::vector<Summary>& all) {
  for (std::size_t position = 1; position < all.size(); ++position) {
    if (all[position].layout == all[0].layout) continue;
    return Error{
        Errc::mismatch,
        fmt::format("the state of position 0 ({} bytes) and that of position {} ({} bytes) "
                    "are registered differently",
                    all[0].bytes, position, all[position].bytes)};
  }
  return {};
}

}  // namespace

void State::add(void* data, std::size_t bytes) {
  CHECK(data != nullptr || bytes == 0);
  parts_.push_back({data, bytes});
  bytes_ += bytes;
  layout_ = Random(layout_ ^ (bytes + 1)).next();
}

Result<void> State::restore(std::int64_t steps, const std::vector<std::uint64_t>& blocks,
                            const std::byte* data) {
  CHECK_LE(0, steps);
  const bool same = std::equal(parts_.begin(), parts_.end(), blocks.begin(), blocks.end(),
                               [](const Part& part, auto bytes) { return part.bytes == bytes; });
  if (!same) {
    return Error{Errc::mismatch,
                 fmt::format("the checkpoint of step {} has a state of {} parts, and this program "
                             "registers {} parts of {} bytes, not the same ones",
                             steps, blocks.size(), parts_.size(), bytes_)};
  }
  for (const Part& part : parts_) {
    if (part.bytes > 0) std::memcpy(part.data, data, part.bytes);
    data += part.bytes;
  }
  steps_ = steps;
  return {};
}

Result<int> State::sync(collectives::Communicator& communicator) {
  const Summary own = {steps_, static_cast<std::int64_t>(bytes_),
                       static_cast<std::int64_t>(layout_)};
  std::vector<Summary> all(static_cast<std::size_t>(communicator.size()));
  auto step = communicator.all_gather(&own, all.data(), kSummaryWords, RINGMASTER_INT64);
  if (step) step = check_layouts(all);
  if (!step) return step.error();
  const int source = best_source(all);
  const std::int64_t best = all[static_cast<std::size_t>(source)].steps;
  const bool all_equal = std::all_of(all.begin(), all.end(), [&](const Summary& summary) {
    return summary.steps == best && best != kNoState;
  });
  if (all_equal) return source;
  // Nobody has finished a step and nobody holds a state: position 0's first values count for all,
  // so that a program that forgot to seed its ranks alike still starts them alike.
  const bool behind = communicator.position() != source && (steps_ < best || best == kNoState);
  step = receive(communicator, source, behind);
  if (!step) return step.error();
  steps_ = std::max<std::int64_t>(best, 0);
  return source;
}

Result<void> State::receive(collectives::Communicator& communicator, int source, bool behind) {
  std::vector<std::byte> staged(behind ? bytes_ : 0);
  std::size_t offset = 0;
  for (const Part& part : parts_) {
    void* target = nullptr;  // this rank holds the same state already
    if (communicator.position() == source) target = part.data;
    if (behind) target = staged.data() + offset;
    auto step = communicator.broadcast(target, part.bytes, RINGMASTER_UINT8, source);
    if (!step) return step;
    offset += part.bytes;
  }
  offset = 0;
  for (const Part& part : parts_) {
    if (behind && part.bytes > 0) std::memcpy(part.data, staged.data() + offset, part.bytes);
    offset += part.bytes;
  }
  return {};
}

}  // namespace ringmaster::worker

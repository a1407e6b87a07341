// SPDX-License-Identifier: Apache-2.0
//
// Operations that give into input buffers and read them one chunk later.
#include <algorithm>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/parts.h"
#include "collectives/reduce.h"
#include "collectives/shm/shm_shown.h"

namespace ringmaster::collectives {

namespace {

/// From so many bytes of the largest block on, inputs that all see are read where they are: below,
/// the second hop costs more than the copy into a buffer.
constexpr std::size_t kScatterShown = 1024 * 1024;

/// Pieces of `most` bytes in a stretch: at least one, for its arrival.
std::size_t pieces(std::size_t bytes, std::size_t most) {
  return std::max<std::size_t>(1, (bytes + most - 1) / most);
}

/// Bytes of the n-th piece.
std::size_t piece(std::size_t bytes, std::size_t most, std::size_t n) {
  return std::min(most, bytes - std::min(bytes, n * most));
}

std::size_t largest(const Counts& counts) {
  return *std::max_element(counts.begin(), counts.end());
}

/// A block of an input buffer for each rank.
std::size_t block_bytes(int ranks) {
  return Segment::kBufferBytes / static_cast<std::size_t>(ranks) / 64 * 64;
}

}  // namespace

template <class Give, class Read>
Result<void> ShmCommunicator::pass(std::size_t chunks, const Give& give, const Read& read,
                                   std::size_t begun) {
  const Chunk first = next_ - begun;
  for (std::size_t n = begun; n < chunks + 1; ++n) {
    if (n < chunks) {
      auto step = claim(first + n);
      if (!step) return step;
      give(n, input_of(position(), first + n));
      arrive(first + n);
    }
    if (n == 0) continue;
    auto step = wait_arrived(first + n - 1);
    if (!step) return step;
    read(n - 1, first + n - 1);
  }
  return {};
}

Result<void> ShmCommunicator::broadcast(void* data, std::size_t count, Type type, int root) {
  CHECK(root >= 0 && root < size());
  CHECK(data != nullptr || position() != root || count == 0);
  auto step = begin(
      {kBroadcast, static_cast<std::uint32_t>(type), 0, static_cast<std::uint32_t>(root), count});
  if (!step) return step;
  const std::size_t bytes = count * size_of(type);
  constexpr std::size_t kMost = Segment::kBufferBytes;
  return pass(
      pieces(bytes, kMost),
      [&](std::size_t n, std::byte* to) {
        if (position() == root) copy_bytes(to, at(data, n * kMost), piece(bytes, kMost, n));
      },
      [&](std::size_t n, Chunk chunk) {
        if (position() == root || data == nullptr) return;
        copy_bytes(at(data, n * kMost), input_of(root, chunk), piece(bytes, kMost, n));
      });
}

Result<void> ShmCommunicator::all_gather(const void* input, void* output, const Counts& counts,
                                         Type type) {
  CHECK_EQ(counts.size(), membership_.numbers.size());
  auto step = begin(counted_call(kAllGather, type, counts));
  if (!step) return step;
  const std::size_t width = size_of(type);
  constexpr std::size_t kMost = Segment::kBufferBytes;
  const auto bytes_of = [&](int peer) { return counts[static_cast<std::size_t>(peer)] * width; };
  const auto place = [&](int peer) { return at(output, before(counts, peer) * width); };
  copy_bytes(place(position()), input, bytes_of(position()));
  return pass(
      pieces(largest(counts) * width, kMost),
      [&](std::size_t n, std::byte* to) {
        copy_bytes(to, at(input, n * kMost), piece(bytes_of(position()), kMost, n));
      },
      [&](std::size_t n, Chunk chunk) {
        for (int turn = 1; turn < size(); ++turn) {
          const int peer = (position() + turn) % size();
          copy_bytes(place(peer) + n * kMost, input_of(peer, chunk),
                     piece(bytes_of(peer), kMost, n));
        }
      });
}

Result<void> ShmCommunicator::reduce_scatter(const void* input, void* output, const Counts& counts,
                                             Type type, Reduction reduction) {
  CHECK_EQ(counts.size(), membership_.numbers.size());
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "reduce_scatter: " + problem};
  }
  Call call = counted_call(kReduceScatter, type, counts);
  call.reduction = static_cast<std::uint32_t>(reduction);
  auto step = begin(call);
  if (!step) return step;
  const std::size_t width = size_of(type), most = block_bytes(size());
  const auto part = [&](int peer, std::size_t n) {
    return piece(counts[static_cast<std::size_t>(peer)] * width, most, n);
  };
  const auto place = [&](int peer, std::size_t n) {
    return at(input, before(counts, peer) * width + n * most);
  };
  const auto give = [&](std::size_t n, std::byte* to) {
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == position()) continue;  // read where it is
      copy_bytes(to + static_cast<std::size_t>(peer) * most, place(peer, n), part(peer, n));
    }
  };
  std::size_t begun = 0;
  if (largest(counts) * width >= kScatterShown && size() > 1) {
    const Offer offer{*this, input, total(counts) * width};
    const Chunk chunk = next_;
    const auto shown = offer.ask([&](std::byte* to) { give(0, to); });
    if (!shown) return shown.error();
    if (*shown == size()) {
      return offer.reduce(chunk, before(counts, position()) * width, output,
                          counts[static_cast<std::size_t>(position())] * width, type, reduction);
    }
    begun = *shown == 0 ? 1 : 0;  // else those who have shown give now
  }
  return pass(
      pieces(largest(counts) * width, most), give,
      [&](std::size_t n, Chunk chunk) {
        const std::size_t bytes = part(position(), n);
        if (bytes == 0) return;
        inputs_.clear();
        for (int peer = 0; peer < size(); ++peer) {
          const auto block = static_cast<std::size_t>(position()) * most;
          inputs_.push_back(peer == position() ? place(peer, n) : input_of(peer, chunk) + block);
        }
        reduce(inputs_, at(output, n * most), bytes / width, type, reduction);
      },
      begun);
}

/// Compares what all give and take. Each knows its own; the longest part of all, in bytes, says how
/// many chunks there are.
Result<std::uint64_t> ShmCommunicator::compare_parts(const Counts& give, const Counts& take,
                                                     std::size_t width) {
  struct Told {
    std::uint64_t longest, sum;
  };
  const Chunk chunk = next_;
  const Told told{std::max(largest(give), largest(take)) * width,
                  parts_sum(give, take, position())};
  copy_bytes(arrival(position(), chunk).payload, &told, sizeof(told));
  arrive(chunk);
  if (auto step = wait_arrived(chunk); !step) return step.error();
  std::uint64_t longest = 0, sum = 0;
  for (int peer = 0; peer < size(); ++peer) {
    Told theirs;
    copy_bytes(&theirs, arrival(peer, chunk).payload, sizeof(theirs));
    longest = std::max(longest, theirs.longest);
    sum += theirs.sum;
  }
  if (sum == 0) return longest;
  failed_ = parts_difference(*this, give, take, [&](int peer) { return number(peer); });
  return *failed_;
}

Result<void> ShmCommunicator::all_to_all(const void* input, const Counts& give, void* output,
                                         const Counts& take, Type type) {
  CHECK_EQ(give.size(), membership_.numbers.size());
  CHECK_EQ(take.size(), membership_.numbers.size());
  const auto own = static_cast<std::size_t>(position());
  if (give[own] != take[own]) return Error{Errc::invalid, kTakesOther};
  auto step = begin({.kind = kAllToAll, .type = static_cast<std::uint32_t>(type)});
  if (!step) return step;
  const std::size_t width = size_of(type), most = block_bytes(size());
  const auto longest = compare_parts(give, take, width);
  if (!longest) return longest.error();
  const auto part = [&](const Counts& counts, int peer, std::size_t n) {
    return piece(counts[static_cast<std::size_t>(peer)] * width, most, n);
  };
  copy_bytes(at(output, before(take, position()) * width),
             at(input, before(give, position()) * width), give[own] * width);
  return pass(
      pieces(*longest, most),
      [&](std::size_t n, std::byte* to) {
        for (int peer = 0; peer < size(); ++peer) {
          if (peer == position()) continue;
          copy_bytes(to + static_cast<std::size_t>(peer) * most,
                     at(input, before(give, peer) * width + n * most), part(give, peer, n));
        }
      },
      [&](std::size_t n, Chunk chunk) {
        for (int turn = 1; turn < size(); ++turn) {
          const int peer = (position() + turn) % size();
          copy_bytes(at(output, before(take, peer) * width + n * most),
                     input_of(peer, chunk) + own * most, part(take, peer, n));
        }
      });
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/hierarchical/hierarchical_communicator.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/reduce.h"
#include "collectives/tcp/slices.h"

namespace ringmaster::collectives {

namespace {

// Below, one rank a host: a slice for each costs as many messages as there are ranks, and a
// barrier.
constexpr std::size_t kSlicedBytes = 256 * 1024;
// A rank that has stopped between the hosts does not come back: so many time-outs are enough.
constexpr int kBetweenTimeouts = 8;

std::vector<int> all_positions(const Mesh& mesh) {
  std::vector<int> all(static_cast<std::size_t>(mesh.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Elements of the slices of an array, one for each rank of a host.
Counts slices_of(std::size_t count, int ranks) {
  Counts counts;
  for (int rank = 0; rank < ranks; ++rank) counts.push_back(slice_of(count, 1, rank, ranks).bytes);
  return counts;
}

/// All to the lowest rank.
Counts to_leader(std::size_t count, int ranks) {
  Counts counts(static_cast<std::size_t>(ranks));
  counts.front() = count;
  return counts;
}

/// An average is a sum until the last reduction.
Reduction partial_of(Reduction reduction) {
  return reduction == RINGMASTER_AVERAGE ? RINGMASTER_SUM : reduction;
}

}  // namespace

HierarchicalCommunicator::HierarchicalCommunicator(std::unique_ptr<ShmCommunicator> local,
                                                   std::shared_ptr<Mesh> mesh,
                                                   std::vector<int> hosts)
    : local_(std::move(local)),
      mesh_(std::move(mesh)),
      hosts_(std::move(hosts)),
      position_(mesh_->membership().position),
      flat_(mesh_, all_positions(*mesh_)) {
  CHECK_EQ(hosts_.size(), static_cast<std::size_t>(mesh_->size()));
  std::vector<int> order;
  for (int position = 0; position < size(); ++position) {
    const int host = hosts_[static_cast<std::size_t>(position)];
    const auto found = std::ranges::find(order, host);
    const auto index = static_cast<std::size_t>(found - order.begin());
    if (found == order.end()) {
      order.push_back(host);
      members_.emplace_back();
    }
    members_[index].push_back(position);
    if (position == position_) host_ = static_cast<int>(index);
  }
  CHECK_LT(1U, members_.size());  // ranks of one host are the local engine's alone
  const auto& own = members_[static_cast<std::size_t>(host_)];
  CHECK_EQ(own.size(), static_cast<std::size_t>(local_->size()));
  CHECK_EQ(own[static_cast<std::size_t>(local_->position())], position_);
  even_ = std::ranges::all_of(members_, [&](const auto& one) { return one.size() == own.size(); });
  if (!even_ && !leads()) return;
  std::vector<int> peers;
  for (const auto& one : members_) {
    peers.push_back(one[even_ ? static_cast<std::size_t>(local_->position()) : 0]);
  }
  between_ = std::make_unique<TcpCommunicator>(mesh_, std::move(peers));
  between_->average_over(size());
}

void HierarchicalCommunicator::set_choice(const schedules::Choice& choice) {
  if (between_) between_->set_choice(choice);
}

Result<void> HierarchicalCommunicator::fail(const Result<void>& end) {
  if (end) return end;
  Error error = end.error();
  const std::size_t colon = error.message.find(": ");
  const bool waited = error.code == Errc::timed_out || error.code == Errc::generation_changed;
  // What was waited for is the call, and not the part of it that failed.
  if (waited && colon != std::string::npos) {
    error.message = call_text(call_) + error.message.substr(colon);
  }
  if (!failed_) failed_ = error;
  return error;
}

Result<void> HierarchicalCommunicator::begin(const Call& call, std::uint64_t parts) {
  if (failed_) return *failed_;
  call_ = call;
  local_->set_timeout(timeout_);
  flat_.set_timeout(timeout_);
  if (between_) {
    between_->set_timeout(timeout_);
    between_->speak_for(call);
  }
  struct Told {
    Call call;
    std::uint64_t parts;
  };
  const Told own_told{call, parts};
  std::vector<Told> told(static_cast<std::size_t>(local_->size()));
  const auto looked = local_->all_gather(&own_told, told.data(), sizeof(Told), RINGMASTER_UINT8);
  if (!looked) return fail(looked);
  parts_ = 0;
  for (const Told& one : told) parts_ += one.parts;
  const Call& first = told[0].call;
  const auto other = std::ranges::find_if(told, [&](const Told& t) { return t.call != first; });
  if (other == told.end()) return {};
  const auto number = [&](std::ptrdiff_t place) {
    return mesh_->number(
        members_[static_cast<std::size_t>(host_)][static_cast<std::size_t>(place)]);
  };
  const Error found{Errc::mismatch,
                    mismatch_text(first, number(0), other->call, number(other - told.begin()))};
  return agree(leads() ? between_->refuse(call, found.message) : found);
}

// Whoever is still between the hosts comes back by itself, at the latest when nothing has moved
// there for the time-out: who waits for it waits longer, or would give up first and not know why.
Result<void> HierarchicalCommunicator::agree(const Result<void>& own) {
  local_->set_timeout(kBetweenTimeouts * timeout_);
  auto agreed = tell_ends(own);
  local_->set_timeout(timeout_);
  return agreed;
}

Result<void> HierarchicalCommunicator::tell_ends(const Result<void>& own) {
  std::vector<std::uint32_t> codes(static_cast<std::size_t>(local_->size()));
  const std::uint32_t code = own ? 0 : static_cast<std::uint32_t>(own.error().code) + 1;
  auto told = local_->all_gather(&code, codes.data(), sizeof(code), RINGMASTER_UINT8);
  if (!told) return fail(own ? told : own);
  const auto failed = std::ranges::find_if(codes, [](std::uint32_t one) { return one != 0; });
  if (failed == codes.end()) return {};
  std::array<char, kNoteBytesMax + 1> words{};
  if (!own) own.error().message.copy(words.data(), words.size() - 1);
  told = local_->broadcast(words.data(), words.size(), RINGMASTER_UINT8,
                           static_cast<int>(failed - codes.begin()));
  if (!told) return fail(own ? told : own);
  return fail(Error{static_cast<Errc>(*failed - 1), words.data()});
}

Result<void> HierarchicalCommunicator::barrier() {
  if (auto begun = begin({.kind = kBarrier}); !begun) return begun;
  return between(leads(), [&] { return between_->barrier(); });
}

Result<void> HierarchicalCommunicator::all_reduce(const void* input, void* output,
                                                  std::size_t count, Type type,
                                                  Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  const Call call{kAllReduce, static_cast<std::uint32_t>(type),
                  static_cast<std::uint32_t>(reduction), 0, count};
  if (auto begun = begin(call); !begun) return begun;
  return even_ && local_->size() > 1 && count * size_of(type) >= kSlicedBytes
             ? reduce_by_slices(input, output, count, type, reduction)
             : reduce_by_leader(input, output, count, type, reduction);
}

Result<void> HierarchicalCommunicator::reduce_by_leader(const void* input, void* output,
                                                        std::size_t count, Type type,
                                                        Reduction reduction) {
  scratch_.resize(std::max(scratch_.size(), count * size_of(type)));
  auto end = local_->reduce_scatter(input, scratch_.data(), to_leader(count, local_->size()), type,
                                    partial_of(reduction));
  if (!end) return fail(end);
  end = between(leads(), [&] {
    return between_->all_reduce(scratch_.data(), output, count, type, reduction);
  });
  return end ? fail(local_->broadcast(output, count, type, 0)) : end;
}

Result<void> HierarchicalCommunicator::reduce_by_slices(const void* input, void* output,
                                                        std::size_t count, Type type,
                                                        Reduction reduction) {
  const Counts slices = slices_of(count, local_->size());
  const std::size_t own = slices[static_cast<std::size_t>(local_->position())];
  scratch_.resize(std::max(scratch_.size(), own * size_of(type)));
  auto end = local_->reduce_scatter(input, scratch_.data(), slices, type, partial_of(reduction));
  if (!end) return fail(end);
  end = between(leads(), [&] { return between_->barrier(); });
  if (!end) return end;
  end = between(true, [&] {
    return between_->all_reduce(scratch_.data(), scratch_.data(), own, type, reduction);
  });
  return end ? fail(local_->all_gather(scratch_.data(), output, slices, type)) : end;
}

Result<void> HierarchicalCommunicator::reduce_scatter(const void* input, void* output,
                                                      const Counts& counts, Type type,
                                                      Reduction reduction) {
  CHECK_EQ(counts.size(), hosts_.size());
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "reduce_scatter: " + problem};
  }
  Call call = counted_call(kReduceScatter, type, counts);
  call.reduction = static_cast<std::uint32_t>(reduction);
  if (auto begun = begin(call); !begun) return begun;
  const std::size_t width = size_of(type), all = total(counts);
  scratch_.resize(std::max(scratch_.size(), all * width));
  auto end = local_->reduce_scatter(input, scratch_.data(), to_leader(all, local_->size()), type,
                                    partial_of(reduction));
  if (!end) return fail(end);
  const Counts of_host = by_neighbour(counts);
  std::vector<std::byte> own(leads() ? total(of_host) * width : 0);
  end = between(leads(), [&] {
    blocks_.resize(std::max(blocks_.size(), all * width));
    to_host_order(scratch_.data(), blocks_.data(), counts, width);
    return between_->reduce_scatter(blocks_.data(), own.data(), by_host(counts), type, reduction);
  });
  if (!end) return end;
  const Counts none(of_host.size());
  const Counts take = to_leader(counts[static_cast<std::size_t>(position_)], local_->size());
  return fail(local_->all_to_all(own.data(), leads() ? of_host : none, output, take, type));
}

Result<void> HierarchicalCommunicator::all_gather(const void* input, void* output,
                                                  const Counts& counts, Type type) {
  CHECK_EQ(counts.size(), hosts_.size());
  if (auto begun = begin(counted_call(kAllGather, type, counts)); !begun) return begun;
  const std::size_t width = size_of(type), all = total(counts);
  const Counts of_host = by_neighbour(counts), hosts = by_host(counts);
  scratch_.resize(std::max(scratch_.size(), all * width));
  std::byte* own = scratch_.data() + before(hosts, host_) * width;
  auto end = local_->all_gather(input, own, of_host, type);
  if (!end) return fail(end);
  end = between(leads(), [&] { return between_->all_gather(own, scratch_.data(), hosts, type); });
  if (end) end = fail(local_->broadcast(scratch_.data(), all, type, 0));
  if (end) to_position_order(scratch_.data(), output, counts, width);
  return end;
}

// In pieces, so that who keeps nothing and passes all on needs no more memory than one.
Result<void> HierarchicalCommunicator::broadcast(void* data, std::size_t count, Type type,
                                                 int root) {
  constexpr std::size_t kPieceBytes = 4 << 20;
  CHECK(root >= 0 && root < size());
  const Call call{kBroadcast, static_cast<std::uint32_t>(type), 0, static_cast<std::uint32_t>(root),
                  count};
  if (auto begun = begin(call); !begun) return begun;
  const std::size_t width = size_of(type), most = kPieceBytes / width;
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(most, count - done);
    std::byte* here = data == nullptr ? nullptr : at(data, done * width);
    auto end = broadcast_piece(here, piece, type, root);
    if (!end) return end;
    done += piece;
  } while (done < count);
  return {};
}

Result<void> HierarchicalCommunicator::broadcast_piece(std::byte* data, std::size_t count,
                                                       Type type, int root) {
  std::size_t source = 0;  // the root's host
  std::ptrdiff_t place = 0;
  for (std::size_t host = 0; host < members_.size(); ++host) {
    const auto found = std::ranges::find(members_[host], root);
    if (found == members_[host].end()) continue;
    source = host;
    place = found - members_[host].begin();
  }
  if (data == nullptr && leads()) {
    scratch_.resize(std::max(scratch_.size(), count * size_of(type)));
    data = scratch_.data();
  }
  const bool here = static_cast<std::size_t>(host_) == source;
  if (here) {
    auto end = local_->broadcast(data, count, type, static_cast<int>(place));
    if (!end) return fail(end);
  }
  auto end = between(
      leads(), [&] { return between_->broadcast(data, count, type, static_cast<int>(source)); });
  if (end && !here) end = fail(local_->broadcast(data, count, type, 0));
  return end;
}

}  // namespace ringmaster::collectives

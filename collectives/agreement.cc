// SPDX-License-Identifier: Apache-2.0
#include "collectives/agreement.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::collectives {

namespace {

/// A group's place in Call::kind: apart from the operations', which call_text.h numbers.
constexpr std::uint32_t kGroupKind = 100;

Call call_of(const Reduce& one) {
  return {.kind = kAllReduce,
          .type = static_cast<std::uint32_t>(one.type),
          .reduction = static_cast<std::uint32_t>(one.reduction),
          .count = one.count};
}

/// Equal groups have equal heads; `root` mixes the calls of the group's members.
Call head_of(const std::vector<Reduce>& group) {
  Call head{.kind = kGroupKind, .count = group.size()};
  for (const Reduce& one : group) {
    const Call call = call_of(one);
    for (const std::uint64_t part :
         {std::uint64_t{call.type}, std::uint64_t{call.reduction}, call.count, call.count >> 32}) {
      head.root = (head.root ^ static_cast<std::uint32_t>(part)) * 0x9e3779b1U + 1;
    }
  }
  return head;
}

std::string agreed_text(const Call& call) {
  if (call.kind != kGroupKind) return call_text(call);
  return fmt::format("a group of {} all_reduces", call.count);
}

const char* memory_text(Memory memory) {
  switch (memory) {
    case Memory::none:
      return "no memory";
    case Memory::host:
      return "host memory";
    case Memory::device:
      return "device memory";
    case Memory::both:
      return "host and device memory in one call";
    case Memory::other_device:
      return "memory of a device that is not its own";
  }
  return "?";
}

}  // namespace

Agreement::Agreement(std::vector<int> numbers, int position, Gather gather)
    : numbers_(std::move(numbers)), position_(position), gather_(std::move(gather)) {
  CHECK(position_ >= 0 && static_cast<std::size_t>(position_) < numbers_.size());
}

Result<std::vector<Agreement::Entry>> Agreement::gather_entries(const Call& call, Memory memory) {
  const Entry own{call, static_cast<std::uint64_t>(memory)};
  std::vector<Entry> all(size());
  auto gathered = gather_(&own, all.data(), sizeof own);
  if (gathered) return all;
  return Error{gathered.error().code, agreed_text(call) + ": " + gathered.error().message};
}

Result<void> Agreement::compare(const std::vector<Entry>& entries) const {
  const Call& first = entries[0].call;
  for (std::size_t peer = 1; peer < entries.size(); ++peer) {
    const Call& other = entries[peer].call;
    if (other == first) continue;
    return Error{Errc::mismatch,
                 fmt::format("rank {} called {}, rank {} called {}", numbers_[0],
                             agreed_text(first), numbers_[peer], agreed_text(other))};
  }
  return {};
}

Result<Agreed> Agreement::judge_memory(const std::vector<Entry>& entries) const {
  Agreed agreed;
  int with[2] = {-1, -1};  // a rank with host memory, one with device memory
  for (std::size_t peer = 0; peer < entries.size(); ++peer) {
    const auto memory = static_cast<Memory>(entries[peer].memory);
    if (memory == Memory::both || memory == Memory::other_device) {
      return Error{Errc::invalid, fmt::format("{}: rank {} gave {}", agreed_text(entries[0].call),
                                              numbers_[peer], memory_text(memory))};
    }
    if (memory == Memory::none) agreed.null_somewhere = true;
    if (memory == Memory::host) with[0] = numbers_[peer];
    if (memory == Memory::device) with[1] = numbers_[peer];
  }
  if (with[0] >= 0 && with[1] >= 0) {
    return Error{
        Errc::mismatch,
        fmt::format("{}: rank {} gave {}, rank {} gave {}", agreed_text(entries[0].call), with[0],
                    memory_text(Memory::host), with[1], memory_text(Memory::device))};
  }
  agreed.memory = with[1] >= 0 ? Memory::device : Memory::host;
  return agreed;
}

Result<Agreed> Agreement::agree(const Call& call, Memory memory) {
  auto entries = gather_entries(call, memory);
  if (!entries) return entries.error();
  auto same = compare(*entries);
  if (!same) return same.error();
  return judge_memory(*entries);
}

Result<Agreed> Agreement::agree_group(const std::vector<Reduce>& group, Memory memory) {
  auto heads = gather_entries(head_of(group), memory);
  if (!heads) return heads.error();
  const auto same = [&](const Entry& one) { return one.call == (*heads)[0].call; };
  if (std::all_of(heads->begin(), heads->end(), same)) return judge_memory(*heads);
  return group_difference(*heads, group);
}

/// All ranks hold the same heads, so all of them take these steps.
Error Agreement::group_difference(const std::vector<Entry>& heads,
                                  const std::vector<Reduce>& group) {
  std::uint64_t shortest = group.size();
  for (const Entry& head : heads) {
    const bool a_group = head.call.kind == kGroupKind;
    shortest = std::min(shortest, a_group ? head.call.count : 0);
  }
  for (std::uint64_t i = 0; i < shortest; ++i) {
    auto entries = gather_entries(call_of(group[i]), Memory::none);
    if (!entries) return entries.error();
    auto same = compare(*entries);
    if (same) continue;
    return Error{same.error().code,
                 fmt::format("{}, as number {} of a group", same.error().message, i + 1)};
  }
  return compare(heads).error();
}

Result<std::size_t> Agreement::agree_parts(const Counts& give, const Counts& take) {
  const std::size_t n = size();
  CHECK(give.size() == n && take.size() == n);
  std::vector<std::uint64_t> own(give.begin(), give.end());
  own.insert(own.end(), take.begin(), take.end());
  std::vector<std::uint64_t> all(2 * n * n);
  auto gathered = gather_(own.data(), all.data(), own.size() * sizeof(std::uint64_t));
  if (!gathered) return gathered.error();
  std::size_t largest = 0;
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t to = 0; to < n; ++to) {
      const std::uint64_t given = all[from * 2 * n + to], taken = all[to * 2 * n + n + from];
      largest = std::max(largest, given);
      if (given == taken) continue;
      return Error{Errc::mismatch, parts_text(numbers_[from], given, numbers_[to], taken)};
    }
  }
  return largest;
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringmaster::collectives {

namespace {

const char* type_name(std::uint32_t type) {
  static constexpr std::array<const char*, 7> kNames = {"float32", "float64", "int32",   "int64",
                                                        "uint8",   "float16", "bfloat16"};
  return type < kNames.size() ? kNames[type] : "?";
}

const char* reduction_name(std::uint32_t reduction) {
  static constexpr std::array<const char*, 5> kNames = {"sum", "average", "min", "max", "product"};
  return reduction < kNames.size() ? kNames[reduction] : "?";
}

}  // namespace

Call counted_call(std::uint32_t kind, Type type, const Counts& counts) {
  Call call{.kind = kind, .type = static_cast<std::uint32_t>(type), .count = counts.front()};
  const bool even = std::all_of(counts.begin(), counts.end(),
                                [&](std::size_t count) { return count == counts.front(); });
  if (even) return call;
  call.count = total(counts);
  for (const std::size_t count : counts) {
    call.root = (call.root ^ static_cast<std::uint32_t>(count ^ (count >> 32))) * 0x9e3779b1U + 1;
  }
  return call;
}

std::string call_text(const Call& call) {
  const std::string what = fmt::format("{} {}", call.count, type_name(call.type));
  if (call.kind == kBarrier) return "barrier";
  if (call.kind == kBroadcast) return fmt::format("broadcast of {} from {}", what, call.root);
  if (call.kind == kAllGather) return fmt::format("all_gather of {}", what);
  if (call.kind == kAllReduce) {
    return fmt::format("all_reduce of {} ({})", what, reduction_name(call.reduction));
  }
  if (call.kind == kReduceScatter) {
    return fmt::format("reduce_scatter of {} ({})", what, reduction_name(call.reduction));
  }
  if (call.kind == kAllToAll) return fmt::format("all_to_all of {}", type_name(call.type));
  if (call.kind == kExchange) return fmt::format("exchange of {}", what);
  return fmt::format("an unknown operation ({})", call.kind);
}

std::string mismatch_text(const Call& a, int rank_a, const Call& b, int rank_b) {
  const std::string one = call_text(a), other = call_text(b);
  return fmt::format("rank {} called {}, rank {} called {}{}", rank_a, one, rank_b, other,
                     one == other ? " with other counts" : "");
}

std::string parts_text(int from, std::size_t given, int to, std::size_t taken) {
  return fmt::format("all_to_all: rank {} gives {} elements to rank {}, which takes {}", from,
                     given, to, taken);
}

std::string late_text(const Call& call, int rank, double seconds) {
  return fmt::format("{}: rank {} has not called it for {:.0f} s", call_text(call), rank, seconds);
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "collectives/reduce.h"

namespace ringmaster::storm {

namespace {

using collectives::size_of;

constexpr std::size_t kKi = 1024;
/// Bytes at which some engine goes another way: the end of a cache line's payload, the least that
/// is reduced in place, the most that everybody reduces for itself, chunks of mailboxes, sockets
/// and buffers, slices between hosts.
constexpr std::size_t kCuts[] = {56,       2 * kKi,  4 * kKi,   16 * kKi,
                                 32 * kKi, 64 * kKi, 128 * kKi, 256 * kKi};

std::size_t draw_bytes(Random& random, std::size_t most) {
  const double luck = random.unit();
  if (luck < 0.04) return 0;
  if (luck < 0.20) {
    // Mostly the low ones: a cut of 256 KiB takes as long as a thousand of a cache line's.
    const std::size_t cuts = random.chance(0.9) ? 4 : std::size(kCuts);
    const std::size_t cut = kCuts[random.below(cuts)];
    return std::min(most, cut + random.below(17) - 8);
  }
  const std::size_t tier = luck < 0.92     ? 2 * kKi
                           : luck < 0.99   ? 40 * kKi
                           : luck < 0.9985 ? 400 * kKi
                                           : most;
  return random.below(std::min(tier, most) + 1);
}

Counts draw_counts(Random& random, int ranks, std::size_t width, std::size_t most) {
  const auto draw = [&] { return draw_bytes(random, most) / width; };
  Counts counts(static_cast<std::size_t>(ranks), draw());
  if (random.chance(0.5)) std::generate(counts.begin(), counts.end(), draw);
  return counts;
}

Reduction draw_reduction(Random& random, Type type) {
  for (;;) {
    const auto reduction = static_cast<Reduction>(random.below(5));
    if (*collectives::reduction_problem(type, reduction) == '\0') return reduction;
  }
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::all_reduce:
      return "all_reduce";
    case Kind::reduce_scatter:
      return "reduce_scatter";
    case Kind::all_gather:
      return "all_gather";
    case Kind::all_to_all:
      return "all_to_all";
    case Kind::broadcast:
      return "broadcast";
    case Kind::barrier:
      return "barrier";
    case Kind::exchange:
      return "exchange";
    case Kind::group:
      return "group";
  }
  CHECK(false);
}

std::string places_text(const std::vector<Place>& places) {
  std::string letters;
  for (const Place place : places) letters += "oar"[static_cast<int>(place)];
  return letters;
}

}  // namespace

Call draw_call(Random& random, int ranks, std::size_t bytes_max) {
  Call call;
  call.kind = static_cast<Kind>(random.below(8));
  // What training does most is half of all.
  if (random.chance(0.35)) call.kind = Kind::all_reduce;
  call.type = static_cast<Type>(random.below(7));
  call.reduction = draw_reduction(random, call.type);
  call.values = random.chance(0.5) ? Values::wide : Values::small;
  call.root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
  call.in_place = random.chance(0.5);
  call.seed = random.next();
  const std::size_t width = size_of(call.type);
  call.counts = draw_counts(random, ranks, width, bytes_max);
  const bool parts =
      call.kind == Kind::all_to_all || call.kind == Kind::exchange || call.kind == Kind::group;
  for (int from = 0; parts && from < ranks; ++from) {
    call.matrix.push_back(
        draw_counts(random, ranks, width, bytes_max / static_cast<std::size_t>(ranks)));
  }
  const auto place = static_cast<Place>(random.below(3));
  const bool mixed = random.chance(0.2);
  for (int rank = 0; rank < ranks; ++rank) {
    call.places.push_back(mixed ? static_cast<Place>(random.below(3)) : place);
  }
  const std::size_t members = call.kind == Kind::group ? random.below(5) : 0;
  for (std::size_t member = 0; member < members; ++member) {
    Call one = call;
    one.kind = Kind::all_reduce;
    one.type = static_cast<Type>(random.below(7));
    one.reduction = draw_reduction(random, one.type);
    one.in_place = random.chance(0.5);
    one.seed = random.next();
    one.counts[0] = draw_bytes(random, bytes_max / 4) / size_of(one.type);
    one.matrix.clear();
    call.reduces.push_back(one);
  }
  return call;
}

std::string text_of(const Call& call) {
  constexpr const char* kTypes[] = {"float32", "float64", "int32",   "int64",
                                    "uint8",   "float16", "bfloat16"};
  constexpr const char* kReductions[] = {"sum", "average", "min", "max", "product"};
  if (call.kind == Kind::barrier) return "barrier";
  std::string text = fmt::format("{} of {} {}", name_of(call.kind), fmt::join(call.counts, " "),
                                 kTypes[static_cast<int>(call.type)]);
  if (!call.matrix.empty()) text = fmt::format("{} {}", name_of(call.kind), call.matrix);
  const bool reduces = call.kind == Kind::all_reduce || call.kind == Kind::reduce_scatter;
  if (reduces) text += fmt::format(" ({})", kReductions[static_cast<int>(call.reduction)]);
  if (call.kind == Kind::broadcast) text += fmt::format(" from {}", call.root);
  if (call.in_place) text += ", in place";
  text += call.values == Values::wide ? ", wide" : "";
  for (const Call& one : call.reduces) text += "\n    with " + text_of(one);
  return text + ", " + places_text(call.places);
}

}  // namespace ringmaster::storm

// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/values.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "collectives/communicator.h"

namespace ringmaster::storm {

namespace {

/// A format of sixteen bits, with `kBits` of precision, the hidden one included: a float32 with a
/// shorter fraction and another bias. Numbers that would be denormal in it do not occur here.
template <int kBits, int kBias>
struct Short {
  std::uint16_t bits = 0;
  static constexpr int kPrecision = kBits;
  static constexpr int kShift = 24 - kBits;
  static Short from(double value) {
    const auto whole = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const std::uint32_t sign = whole >> 31 << 15, magnitude = whole & 0x7fffffff;
    if (magnitude == 0) return {static_cast<std::uint16_t>(sign)};
    // To the nearest, ties to even.
    const std::uint32_t half = (1U << (kShift - 1)) - 1 + (magnitude >> kShift & 1);
    const std::uint32_t rounded = magnitude + half - (std::uint32_t{127 - kBias} << 23);
    CHECK_LE(1U << 23, rounded);
    return {static_cast<std::uint16_t>(sign | rounded >> kShift)};
  }
  double value() const {
    const auto magnitude = std::bit_cast<float>((bits & 0x7fffU) << kShift);
    const double scale = static_cast<double>(std::uint64_t{1} << (127 - kBias) / 2);
    const double scaled = static_cast<double>(magnitude) * scale * scale;
    return (bits & 0x8000) != 0 ? -scaled : scaled;
  }
};
using Half = Short<11, 15>;
using Brain = Short<8, 127>;

std::uint64_t mixed(const Call& call, int rank, std::size_t i) {
  std::uint64_t x = call.seed + static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15ULL;
  x += i * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 29);
}

template <class T>
constexpr bool kIsWhole = std::is_integral_v<T>;

/// Small whole numbers: five ranks' products and sums are exact in eight bits of precision.
int small_value(const Call& call, std::uint64_t random, bool negative) {
  const auto draw = [&](int many) { return static_cast<int>((random >> 20) % unsigned(many)); };
  if (call.reduction == RINGMASTER_PRODUCT) return 1 + draw(2) - (negative && draw(3) == 0 ? 2 : 0);
  return draw(13) - (negative ? 6 : 0);
}

/// A rounded float: of sixteen bits what both formats hold exactly.
double wide_value(const Call& call, std::uint64_t random, bool is_short) {
  const bool product = call.reduction == RINGMASTER_PRODUCT;
  if (is_short) {
    const double step = static_cast<double>((random >> 20) % 127);
    return product ? 1 + std::floor(step / 2) / 128 : (step - 63) / 32;
  }
  const double unit = static_cast<double>(random >> 11) * 0x1.0p-53;
  return product ? 1 + unit / 2 : (unit - 0.5) * 8;
}

template <class T>
T narrowed(double value) {
  if constexpr (sizeof(T) == 2) {
    return T::from(value);
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
T value_of(const Call& call, int rank, std::size_t i) {
  const std::uint64_t random = mixed(call, rank, i);
  if constexpr (kIsWhole<T>) {
    if (call.values == Values::wide) return static_cast<T>(random >> 7);
    return static_cast<T>(small_value(call, random, std::is_signed_v<T>));
  } else {
    constexpr bool kShort = sizeof(T) == 2;
    const double value = call.values == Values::wide ? wide_value(call, random, kShort)
                                                     : small_value(call, random, true);
    return narrowed<T>(value);
  }
}

template <class T>
double number_of(T value) {
  if constexpr (sizeof(T) == 2) {
    return value.value();
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
T load(const std::byte* from, std::size_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
T reduced_whole(const Call& call, int ranks, std::size_t i) {
  using Wrapping = std::make_unsigned_t<T>;
  // Products of uint8 would be computed in int.
  using Wide = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, Wrapping>;
  T result = value_of<T>(call, 0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const T next = value_of<T>(call, rank, i);
    const auto a = static_cast<Wide>(static_cast<Wrapping>(result));
    const auto b = static_cast<Wide>(static_cast<Wrapping>(next));
    if (call.reduction == RINGMASTER_SUM) result = static_cast<T>(static_cast<Wrapping>(a + b));
    if (call.reduction == RINGMASTER_PRODUCT) result = static_cast<T>(static_cast<Wrapping>(a * b));
    if (call.reduction == RINGMASTER_MIN) result = std::min(result, next);
    if (call.reduction == RINGMASTER_MAX) result = std::max(result, next);
  }
  return result;
}

/// The reduction in doubles, and the sum of all magnitudes, which bounds what rounding can do.
struct Exact {
  double value, magnitude;
};
template <class T>
Exact reduced_exactly(const Call& call, int ranks, std::size_t i) {
  const double first = number_of(value_of<T>(call, 0, i));
  Exact exact{first, std::abs(first)};
  for (int rank = 1; rank < ranks; ++rank) {
    const double next = number_of(value_of<T>(call, rank, i));
    exact.magnitude += std::abs(next);
    if (call.reduction == RINGMASTER_MIN) exact.value = std::min(exact.value, next);
    if (call.reduction == RINGMASTER_MAX) exact.value = std::max(exact.value, next);
    if (call.reduction == RINGMASTER_PRODUCT) exact.value *= next;
    if (call.reduction == RINGMASTER_SUM || call.reduction == RINGMASTER_AVERAGE) {
      exact.value += next;
    }
  }
  return exact;
}

template <class T>
constexpr int precision() {
  if constexpr (sizeof(T) == 2) {
    return T::kPrecision;
  } else {
    return std::numeric_limits<T>::digits;
  }
}

/// Whether the element may be what it is. An average multiplies the sum by 1/ranks in the type
/// that sums are made in.
template <class T>
bool is_reduced(const Call& call, int ranks, std::size_t i, T got) {
  if constexpr (kIsWhole<T>) {
    return same_bits(got, reduced_whole<T>(call, ranks, i));
  } else {
    using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
    Exact exact = reduced_exactly<T>(call, ranks, i);
    const bool picked = call.reduction == RINGMASTER_MIN || call.reduction == RINGMASTER_MAX;
    if (call.values == Values::small || picked) {
      Sum value = static_cast<Sum>(exact.value);
      if (call.reduction == RINGMASTER_AVERAGE) value *= Sum{1} / static_cast<Sum>(ranks);
      return number_of(got) == number_of(narrowed<T>(value));
    }
    if (call.reduction == RINGMASTER_PRODUCT) exact.magnitude = std::abs(exact.value);
    if (call.reduction == RINGMASTER_AVERAGE) {
      exact.value /= ranks;
      exact.magnitude /= ranks;
    }
    const double most = std::ldexp(exact.magnitude * (ranks + 1), -precision<T>());
    return std::abs(number_of(got) - exact.value) <= most;
  }
}

/// Calls `use(T{})` with the element type of the call.
template <class Use>
auto with_type(Type type, const Use& use) {
  switch (type) {
    case RINGMASTER_FLOAT32:
      return use(float{});
    case RINGMASTER_FLOAT64:
      return use(double{});
    case RINGMASTER_INT32:
      return use(std::int32_t{});
    case RINGMASTER_INT64:
      return use(std::int64_t{});
    case RINGMASTER_UINT8:
      return use(std::uint8_t{});
    case RINGMASTER_FLOAT16:
      return use(Half{});
    case RINGMASTER_BFLOAT16:
      return use(Brain{});
  }
  CHECK(false);
}

}  // namespace

void fill(const Call& call, int rank, std::size_t begin, std::size_t count, std::byte* to) {
  with_type(call.type, [&](auto kind) {
    using T = decltype(kind);
    for (std::size_t i = 0; i < count; ++i) {
      const T value = value_of<T>(call, rank, begin + i);
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  });
}

std::string compare(const Call& call, int rank, std::size_t begin, std::size_t count,
                    const std::byte* got) {
  return with_type(call.type, [&](auto kind) -> std::string {
    using T = decltype(kind);
    for (std::size_t i = 0; i < count; ++i) {
      const T wanted = value_of<T>(call, rank, begin + i), is = load<T>(got, i);
      if (same_bits(wanted, is)) continue;
      return fmt::format("element {} of rank {} is {}, not {}", begin + i, rank, number_of(is),
                         number_of(wanted));
    }
    return {};
  });
}

std::string compare_reduced(const Call& call, int ranks, std::size_t begin, std::size_t count,
                            const std::byte* got) {
  return with_type(call.type, [&](auto kind) -> std::string {
    using T = decltype(kind);
    for (std::size_t i = 0; i < count; ++i) {
      const T is = load<T>(got, i);
      if (is_reduced<T>(call, ranks, begin + i, is)) continue;
      return fmt::format("element {} of the reduction is {}, not {}", begin + i, number_of(is),
                         reduced_exactly<T>(call, ranks, begin + i).value);
    }
    return {};
  });
}

std::uint64_t digest_of(const std::byte* bytes, std::size_t count) {
  std::uint64_t digest = 0x9e3779b97f4a7c15ULL ^ count;
  for (; count >= 8; bytes += 8, count -= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    digest = std::rotl((digest ^ word) * 0xbf58476d1ce4e5b9ULL, 29);
  }
  for (std::size_t i = 0; i < count; ++i) {
    digest = std::rotl((digest ^ static_cast<std::uint64_t>(bytes[i])) * 0x94d049bb133111ebULL, 29);
  }
  return digest;
}

}  // namespace ringmaster::storm

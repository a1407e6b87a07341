// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of every instruction set against plain loops, bit for bit.
#include "collectives/kernels/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "collectives/communicator.h"

namespace ringmaster::collectives {
namespace {

using Memory = std::vector<std::uint8_t>;

/// The nearest value of a format with `mantissa` bits, exponents from `least`, ties to even; done
/// in float64, where all of them are exact.
double rounded(double value, int mantissa, int least, double largest) {
  if (!std::isfinite(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(value), least);
  const double unit = std::ldexp(1.0, exponent - mantissa);
  const double near = std::nearbyint(value / unit) * unit;
  return std::abs(near) > largest ? std::copysign(INFINITY, value) : near;
}

struct Format {
  int mantissa, least, bias;
  double largest;
};
constexpr Format kHalf = {10, -14, 15, 65504.0};
const Format kBrain = {7, -126, 127, 0x1.fep127};

double value_of(std::uint16_t bits, const Format& format) {
  const int exponent = (bits & 0x7fff) >> format.mantissa;
  const int fraction = bits & ((1 << format.mantissa) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 2 * format.bias + 1) return fraction != 0 ? NAN : sign * INFINITY;
  const double unit = std::ldexp(1.0, format.least - format.mantissa);
  if (exponent == 0) return sign * fraction * unit;
  return sign *
         std::ldexp((1 << format.mantissa) + fraction, exponent - format.bias - format.mantissa);
}

template <class T>
T combine(T a, T b, Reduction reduction) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
  switch (reduction) {
    case RINGMASTER_SUM:
    case RINGMASTER_AVERAGE:
      return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    case RINGMASTER_PRODUCT:
      return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case RINGMASTER_MIN:
      return b < a ? b : a;
    case RINGMASTER_MAX:
      return a < b ? b : a;
  }
  return a;
}

template <class T>
Memory plain(const std::vector<Memory>& inputs, std::size_t count, Reduction reduction) {
  Memory output(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = [&](const Memory& input) {
      T value;
      std::memcpy(&value, input.data() + i * sizeof(T), sizeof(T));
      return value;
    };
    T sum = element(inputs[0]);
    for (std::size_t k = 1; k < inputs.size(); ++k)
      sum = combine(sum, element(inputs[k]), reduction);
    if constexpr (std::is_floating_point_v<T>) {
      if (reduction == RINGMASTER_AVERAGE) sum *= T{1} / static_cast<T>(inputs.size());
    }
    std::memcpy(output.data() + i * sizeof(T), &sum, sizeof(T));
  }
  return output;
}

/// Sixteen bits: float32 arithmetic, rounded once.
Memory plain_short(const std::vector<Memory>& inputs, std::size_t count, Reduction reduction,
                   const Format& format) {
  Memory output(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      std::uint16_t bits;
      std::memcpy(&bits, inputs[k].data() + i * 2, 2);
      const auto next = static_cast<float>(value_of(bits, format));
      sum = k == 0 ? next : combine(sum, next, reduction);
    }
    if (reduction == RINGMASTER_AVERAGE) sum *= 1.0f / static_cast<float>(inputs.size());
    const double near = rounded(sum, format.mantissa, format.least, format.largest);
    std::uint16_t found = 0;  // the bits of that value: the formats are monotonic in them
    for (int bit = 14; bit >= 0; --bit) {
      const auto tried = static_cast<std::uint16_t>(found | (1 << bit));
      if (value_of(tried, format) <= std::abs(near)) found = tried;
    }
    if (std::signbit(near)) found |= 0x8000;
    std::memcpy(output.data() + i * 2, &found, 2);
  }
  return output;
}

Memory expected(const std::vector<Memory>& inputs, std::size_t count, Type type,
                Reduction reduction) {
  switch (type) {
    case RINGMASTER_FLOAT32:
      return plain<float>(inputs, count, reduction);
    case RINGMASTER_FLOAT64:
      return plain<double>(inputs, count, reduction);
    case RINGMASTER_INT32:
      return plain<std::int32_t>(inputs, count, reduction);
    case RINGMASTER_INT64:
      return plain<std::int64_t>(inputs, count, reduction);
    case RINGMASTER_UINT8:
      return plain<std::uint8_t>(inputs, count, reduction);
    case RINGMASTER_FLOAT16:
      return plain_short(inputs, count, reduction, kHalf);
    case RINGMASTER_BFLOAT16:
      return plain_short(inputs, count, reduction, kBrain);
  }
  return {};
}

/// Any bits of whole numbers; of floats, finite ones of all sizes.
Memory drawn(std::size_t count, Type type, Random& random) {
  Memory bytes(count * size_of(type));
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  const auto set = [&](std::size_t i, auto value) {
    std::memcpy(bytes.data() + i * sizeof(value), &value, sizeof(value));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(12)) - 6);
    if (type == RINGMASTER_FLOAT32) set(i, static_cast<float>(value));
    if (type == RINGMASTER_FLOAT64) set(i, value);
    if (type == RINGMASTER_FLOAT16)
      set(i, static_cast<std::uint16_t>(random.below(0x4c00) | (random.below(2) << 15)));
    if (type == RINGMASTER_BFLOAT16)
      set(i, static_cast<std::uint16_t>((0x3000 + random.below(0x1000)) | (random.below(2) << 15)));
  }
  return bytes;
}

class Kernels : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!has_isa(GetParam())) GTEST_SKIP() << "this processor has no " << isa_name(GetParam());
  }
};

TEST_P(Kernels, ReduceToTheSameBitsAsPlainLoops) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Random random(seed);
    const auto type = static_cast<Type>(random.below(7));
    const auto reduction = static_cast<Reduction>(random.below(5));
    const bool whole = type >= RINGMASTER_INT32 && type <= RINGMASTER_UINT8;
    if (whole && reduction == RINGMASTER_AVERAGE) continue;
    const std::size_t count = random.below(random.chance(0.5) ? 70 : 700);
    std::vector<Memory> inputs(1 + random.below(9));
    std::vector<const void*> in;
    for (Memory& input : inputs) in.push_back((input = drawn(count, type, random)).data());
    const Memory right = expected(inputs, count, type, reduction);
    // Outputs alike or unlike in their cache lines, one of them perhaps an input.
    std::vector<Memory> places(1 + random.below(4), Memory(right.size() + 200));
    const std::size_t shift = random.below(3) * size_of(type);
    std::vector<void*> out;
    for (Memory& bytes : places) {
      const auto place = reinterpret_cast<std::uintptr_t>(bytes.data());
      out.push_back(bytes.data() + (64 - place % 64) % 64 + (random.chance(0.7) ? shift : 0));
    }
    if (random.chance(0.3)) out.push_back(inputs.back().data());
    const Stretches stretches = {in.data(),  static_cast<int>(in.size()),
                                 out.data(), static_cast<int>(out.size()),
                                 count,      static_cast<int>(in.size())};
    reduce_stretches(stretches, type, reduction, GetParam());
    for (const void* output : out) {
      if (count == 0) continue;
      ASSERT_EQ(std::memcmp(output, right.data(), right.size()), 0)
          << "seed " << seed << ": " << inputs.size() << " inputs of " << count
          << " elements of type " << type << ", reduction " << reduction;
    }
  }
}

TEST_P(Kernels, EveryValueOfSixteenBitsComesThroughUnchanged) {
  for (const Type type : {RINGMASTER_FLOAT16, RINGMASTER_BFLOAT16}) {
    const Format& format = type == RINGMASTER_FLOAT16 ? kHalf : kBrain;
    std::vector<std::uint16_t> all(65536), same(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    const void* in = all.data();
    void* out = same.data();
    reduce_stretches({&in, 1, &out, 1, all.size(), 1}, type, RINGMASTER_MAX, GetParam());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::isnan(value_of(all[i], format))) {
        EXPECT_TRUE(std::isnan(value_of(same[i], format))) << i;
      } else {
        ASSERT_EQ(same[i], all[i]) << "type " << type;
      }
    }
  }
}

// Halfway cases, overflow to infinity, denormals: sums of random pairs of all values.
TEST_P(Kernels, ShortSumsAreRoundedOnceToEven) {
  Random random(1);
  for (const Type type : {RINGMASTER_FLOAT16, RINGMASTER_BFLOAT16}) {
    const Format& format = type == RINGMASTER_FLOAT16 ? kHalf : kBrain;
    std::vector<Memory> inputs(2, Memory(2 * 20000));
    for (Memory& input : inputs) {
      for (std::size_t i = 0; i < input.size(); i += 2) {
        std::uint16_t bits;
        do {
          bits = static_cast<std::uint16_t>(random.below(65536));
        } while (!std::isfinite(value_of(bits, format)));
        std::memcpy(input.data() + i, &bits, 2);
      }
    }
    const Memory right = plain_short(inputs, 20000, RINGMASTER_SUM, format);
    Memory sums(right.size());
    const void* in[] = {inputs[0].data(), inputs[1].data()};
    void* out = sums.data();
    reduce_stretches({in, 2, &out, 1, 20000, 2}, type, RINGMASTER_SUM, GetParam());
    EXPECT_EQ(std::memcmp(sums.data(), right.data(), right.size()), 0) << "type " << type;
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Kernels,
                         testing::Values(Isa::baseline, Isa::avx2, Isa::avx512),
                         [](const auto& one) { return std::string(isa_name(one.param)); });

}  // namespace
}  // namespace ringmaster::collectives

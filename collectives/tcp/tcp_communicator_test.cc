// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/tcp_communicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "base/random.h"
#include "collectives/reduce.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes numbers_of(std::size_t count, Random& random) {
  std::vector<T> values(count);
  for (T& value : values) {
    // Fractions for floats, so that the order of a sum shows; sums of six that fit for the rest.
    value = std::is_floating_point_v<T> ? static_cast<T>(random.unit() - 0.3)
                                        : static_cast<T>(random.below(40));
  }
  Bytes bytes(count * sizeof(T));
  if (count > 0) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Finite in both formats of 16 bits, and so are their sums.
Bytes short_floats(std::size_t count, Random& random) {
  Bytes bytes(count * sizeof(std::uint16_t));
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::uint16_t>(0x3800 + random.below(0x400));
    std::memcpy(bytes.data() + i * sizeof(value), &value, sizeof(value));
  }
  return bytes;
}

/// What the rank at `position` contributes.
Bytes contribution(int position, std::size_t count, Type type, std::uint64_t seed) {
  Random random(seed * 1000 + static_cast<std::uint64_t>(position));
  switch (type) {
    case RINGMASTER_FLOAT32:
      return numbers_of<float>(count, random);
    case RINGMASTER_FLOAT64:
      return numbers_of<double>(count, random);
    case RINGMASTER_INT32:
      return numbers_of<std::int32_t>(count, random);
    case RINGMASTER_INT64:
      return numbers_of<std::int64_t>(count, random);
    case RINGMASTER_UINT8:
      return numbers_of<std::uint8_t>(count, random);
    case RINGMASTER_FLOAT16:
    case RINGMASTER_BFLOAT16:
      return short_floats(count, random);
  }
  return {};
}

/// The reference: slice by slice, in the order that the head comment of the engine promises.
Bytes reduced(int ranks, std::size_t count, Type type, Reduction reduction, std::uint64_t seed) {
  std::vector<Bytes> inputs;
  for (int rank = 0; rank < ranks; ++rank) {
    inputs.push_back(contribution(rank, count, type, seed));
  }
  Bytes output(count * size_of(type));
  const bool small = output.size() <= small_bytes_max(ranks);
  for (int part = 0; part < ranks; ++part) {
    const Stretch slice = slice_of(count, size_of(type), part, ranks);
    std::vector<const void*> order;
    for (int i = 0; i < ranks; ++i) {
      const int rank = small ? i : (part + i) % ranks;
      order.push_back(inputs[static_cast<std::size_t>(rank)].data() + slice.begin);
    }
    std::byte* sum = output.data() + slice.begin;
    const std::size_t elements = slice.bytes / size_of(type);
    if (small || ranks == 1) {
      reduce(order, sum, elements, type, reduction);
      continue;
    }
    // From rank to rank, so that sums of 16 bits are rounded at each.
    if (elements > 0) std::memcpy(sum, order[0], slice.bytes);
    for (std::size_t i = 1; i < order.size(); ++i) {
      const bool partial = reduction == RINGMASTER_AVERAGE && i + 1 < order.size();
      reduce({sum, order[i]}, sum, elements, type, partial ? RINGMASTER_SUM : reduction, ranks);
    }
  }
  return output;
}

struct Case {
  std::size_t count;
  Type type;
  Reduction reduction;
  int root;
  bool in_place;
  std::uint64_t seed;
};

Case draw_case(Random& random, int ranks, std::uint64_t seed) {
  Case c{};
  c.type = static_cast<Type>(random.below(7));
  c.reduction = static_cast<Reduction>(random.below(4));
  if (*reduction_problem(c.type, c.reduction) != '\0') c.reduction = RINGMASTER_SUM;
  // Around the sizes at which something changes, and anywhere.
  const std::size_t edges[] = {0,
                               1,
                               64,
                               small_bytes_max(ranks),
                               kChunkBytes,
                               kChunkBytes * static_cast<std::size_t>(ranks),
                               3 * kChunkBytes};
  const std::size_t width = size_of(c.type);
  c.count = random.chance(0.6) ? edges[random.below(std::size(edges))] / width
                               : random.below(random.chance(0.5) ? 3000 : 600000) / width;
  c.count += random.below(3);
  c.root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
  c.in_place = random.chance(0.5);
  c.seed = seed;
  return c;
}

void check_all_reduce(TcpCommunicator& ring, const Case& c) {
  Bytes input = contribution(ring.position(), c.count, c.type, c.seed);
  Bytes other(input.size());
  Bytes& output = c.in_place ? input : other;
  auto end = ring.all_reduce(input.data(), output.data(), c.count, c.type, c.reduction);
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_TRUE(output == reduced(ring.size(), c.count, c.type, c.reduction, c.seed));
}

void check_all_gather(TcpCommunicator& ring, const Case& c) {
  const Bytes input = contribution(ring.position(), c.count, c.type, c.seed);
  Bytes output(input.size() * static_cast<std::size_t>(ring.size()));
  auto end = ring.all_gather(input.data(), output.data(), c.count, c.type);
  ASSERT_TRUE(end.ok()) << end.error().message;
  Bytes expected;
  for (int rank = 0; rank < ring.size(); ++rank) {
    const Bytes part = contribution(rank, c.count, c.type, c.seed);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(output == expected);
}

void check_broadcast(TcpCommunicator& ring, const Case& c) {
  Bytes data = contribution(ring.position(), c.count, c.type, c.seed);
  const bool keeps = ring.position() == c.root || !c.in_place || ring.position() % 2 == 0;
  auto end = ring.broadcast(keeps ? data.data() : nullptr, c.count, c.type, c.root);
  ASSERT_TRUE(end.ok()) << end.error().message;
  if (keeps) {
    EXPECT_TRUE(data == contribution(c.root, c.count, c.type, c.seed));
  }
}

class TcpSizes : public testing::TestWithParam<int> {};

TEST_P(TcpSizes, RandomSequencesAgreeWithTheReferenceBitForBit) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    TcpRanks ranks(GetParam(), seed % 3 != 0);
    ranks.run(1, [&](TcpCommunicator& ring) {
      Random random(seed);  // the same on all ranks
      for (std::uint64_t turn = 0; turn < 15; ++turn) {
        const Case c = draw_case(random, ring.size(), seed * 100 + turn);
        SCOPED_TRACE(testing::Message() << "seed " << seed << " turn " << turn << " count "
                                        << c.count << " type " << c.type);
        const auto what = random.below(4);
        if (what < 2) check_all_reduce(ring, c);
        if (what == 2) check_all_gather(ring, c);
        if (what == 3) check_broadcast(ring, c);
      }
    });
  }
}

TEST_P(TcpSizes, ABarrierWaitsForEverybody) {
  TcpRanks ranks(GetParam());
  std::atomic<int> arrived{0};
  ranks.run(1, [&](TcpCommunicator& ring) {
    for (int turn = 1; turn <= 100; ++turn) {
      ++arrived;
      ASSERT_TRUE(ring.barrier());
      EXPECT_LE(turn * ring.size(), arrived.load());
    }
  });
}

TEST_P(TcpSizes, EveryTypeAndReduction) {
  TcpRanks ranks(GetParam());
  ranks.run(1, [&](TcpCommunicator& ring) {
    for (int type = 0; type < 5; ++type) {
      for (int reduction = 0; reduction < 4; ++reduction) {
        Case c{0, static_cast<Type>(type), static_cast<Reduction>(reduction), 0, false, 7};
        if (*reduction_problem(c.type, c.reduction) != '\0') continue;
        for (const std::size_t count : {100, 40000}) {
          SCOPED_TRACE(testing::Message() << type << " " << reduction << " " << count);
          c.count = count;
          check_all_reduce(ring, c);
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, TcpSizes, testing::Values(1, 2, 3, 4, 5, 6));

TEST(TcpCommunicator, RefusesAnAverageOfWholeNumbers) {
  TcpRanks ranks(1);
  std::int32_t value = 1;
  auto end = ranks.make(1, 0)->all_reduce(&value, &value, 1, RINGMASTER_INT32, RINGMASTER_AVERAGE);
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, Errc::invalid);
}

TEST(TcpCommunicator, SaysWhatIsWrongWithATable) {
  TcpRanks ranks(2);
  auto membership = ranks.membership(1, 0);
  membership.endpoints[1] = "localhost:80";
  TcpCommunicator ring(ranks.listener(0), membership, ranks.abort_of(0));
  EXPECT_EQ(ring.connect().error().code, Errc::invalid);
  membership = ranks.membership(1, 0);
  membership.secret.clear();
  TcpCommunicator open(ranks.listener(0), membership, ranks.abort_of(0));
  EXPECT_EQ(open.barrier().error().code, Errc::invalid);
}

}  // namespace
}  // namespace ringmaster::collectives

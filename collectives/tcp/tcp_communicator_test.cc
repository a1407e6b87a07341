// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/tcp_communicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <map>

#include "base/random.h"
#include "base/sanitized.h"
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

/// What the plan makes of the inputs when each rank does its steps one after the other.
class Interpreter {
 public:
  Interpreter(const schedules::Plan& plan, std::vector<Bytes> inputs, Type type,
              Reduction reduction)
      : plan_(plan), arrays_(std::move(inputs)), type_(type), reduction_(reduction) {}

  std::vector<Bytes> run() {
    std::vector<schedules::Steps> steps;
    for (int rank = 0; rank < plan_.ranks; ++rank) steps.push_back(steps_of(plan_, rank));
    std::vector<std::size_t> at(steps.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < steps.size(); ++rank) {
        while (at[rank] < steps[rank].size() && perform(rank, steps[rank][at[rank]])) {
          ++at[rank];
          moved = true;
        }
      }
    }
    for (std::size_t rank = 0; rank < steps.size(); ++rank) EXPECT_EQ(at[rank], steps[rank].size());
    return arrays_;
  }

 private:
  bool perform(std::size_t rank, const schedules::Step& step) {
    const std::size_t width = size_of(type_), count = arrays_[rank].size() / width;
    for (int b = step.first; b < step.first + step.blocks; ++b) {
      const Stretch block = slice_of(count, width, b, schedules::block_count(plan_));
      std::byte* own = arrays_[rank].data() + block.begin;
      const auto peer = static_cast<std::size_t>(step.peer);
      if (step.action == schedules::Action::send) {
        on_their_way_[{rank, peer}].emplace_back(own, own + block.bytes);
        continue;
      }
      auto& queue = on_their_way_[{peer, rank}];
      if (queue.empty()) return false;  // all blocks of a step come at once
      const Bytes arrived = std::move(queue.front());
      queue.pop_front();
      if (block.bytes == 0) continue;
      if (step.action == schedules::Action::receive) {
        std::memcpy(own, arrived.data(), block.bytes);
        continue;
      }
      const bool partial = reduction_ == RINGMASTER_AVERAGE && !step.complete;
      const void* first = step.arrived_first ? arrived.data() : own;
      const void* second = step.arrived_first ? own : arrived.data();
      Bytes sum(block.bytes);
      reduce({first, second}, sum.data(), block.bytes / width, type_,
             partial ? RINGMASTER_SUM : reduction_, plan_.ranks);
      std::memcpy(own, sum.data(), block.bytes);
    }
    return true;
  }

  schedules::Plan plan_;
  std::vector<Bytes> arrays_;
  Type type_;
  Reduction reduction_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<Bytes>> on_their_way_;
};

/// The reference, in the order that the plan promises.
Bytes reduced(const schedules::Plan& plan, std::size_t count, Type type, Reduction reduction,
              std::uint64_t seed) {
  std::vector<Bytes> inputs;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    inputs.push_back(contribution(rank, count, type, seed));
  }
  if (plan.algorithm != schedules::Algorithm::gather && plan.ranks > 1) {
    const auto outputs = Interpreter(plan, std::move(inputs), type, reduction).run();
    EXPECT_EQ(outputs.front(), outputs.back());
    return outputs.front();
  }
  Bytes output(count * size_of(type));
  std::vector<const void*> order;
  for (const Bytes& input : inputs) order.push_back(input.data());
  if (count > 0) reduce(order, output.data(), count, type, reduction);
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

constexpr std::uint64_t kCasesASeed = kSanitized ? 3 : 12;  // many times slower
constexpr std::size_t kManyElements = kSanitized ? 5000 : 40000;
constexpr std::size_t kLongBytes = kSanitized ? 200'000 : 600'000;

Case draw_case(Random& random, int ranks, std::uint64_t seed) {
  Case c{};
  c.type = static_cast<Type>(random.below(7));
  c.reduction = static_cast<Reduction>(random.below(4));
  if (*reduction_problem(c.type, c.reduction) != '\0') c.reduction = RINGMASTER_SUM;
  // Around the sizes at which something changes, and anywhere.
  const std::size_t edges[] = {0,
                               1,
                               64,
                               16 * 1024,
                               kChunkBytes,
                               kChunkBytes * static_cast<std::size_t>(ranks),
                               3 * kChunkBytes};
  const std::size_t width = size_of(c.type);
  c.count = random.chance(0.6) ? edges[random.below(std::size(edges))] / width
                               : random.below(random.chance(0.5) ? 3000 : kLongBytes) / width;
  c.count += random.below(3);
  c.root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
  c.in_place = random.chance(0.5);
  c.seed = seed;
  return c;
}

void check_all_reduce(TcpCommunicator& ring, const schedules::Choice& choice, const Case& c) {
  Bytes input = contribution(ring.position(), c.count, c.type, c.seed);
  Bytes other(input.size());
  Bytes& output = c.in_place ? input : other;
  auto end = ring.all_reduce(input.data(), output.data(), c.count, c.type, c.reduction);
  ASSERT_TRUE(end.ok()) << end.error().message;
  const auto plan =
      schedules::choose(schedules::Operation::all_reduce, ring.size(), 0, input.size(), choice);
  EXPECT_TRUE(output == reduced(plan, c.count, c.type, c.reduction, c.seed))
      << name_of(plan.algorithm);
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

/// One algorithm for all, or each at its size.
schedules::Choice choice_of(std::uint64_t seed) {
  const auto& all = schedules::algorithms_of(schedules::Operation::all_reduce);
  schedules::Choice choice;
  if (seed <= all.size()) choice.algorithm = all[seed - 1];
  return choice;
}

class TcpSizes : public testing::TestWithParam<int> {};

TEST_P(TcpSizes, RandomSequencesAgreeWithTheReferenceBitForBit) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const schedules::Choice choice = choice_of(seed);
    TcpRanks ranks(GetParam(), seed % 3 != 0);
    ranks.run(1, [&](TcpCommunicator& ring) {
      ring.set_choice(choice);
      Random random(seed);  // the same on all ranks
      for (std::uint64_t turn = 0; turn < kCasesASeed; ++turn) {
        const Case c = draw_case(random, ring.size(), seed * 100 + turn);
        SCOPED_TRACE(testing::Message() << "seed " << seed << " turn " << turn << " count "
                                        << c.count << " type " << c.type);
        const auto what = random.below(4);
        if (what < 2) check_all_reduce(ring, choice, c);
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
  const schedules::Choice choice;
  TcpRanks ranks(GetParam());
  ranks.run(1, [&](TcpCommunicator& ring) {
    for (int type = 0; type < 7; ++type) {
      for (int reduction = 0; reduction < 5; ++reduction) {
        Case c{0, static_cast<Type>(type), static_cast<Reduction>(reduction), 0, false, 7};
        if (*reduction_problem(c.type, c.reduction) != '\0') continue;
        for (const std::size_t count : {std::size_t{100}, kManyElements}) {
          SCOPED_TRACE(testing::Message() << type << " " << reduction << " " << count);
          c.count = count;
          check_all_reduce(ring, choice, c);
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

// SPDX-License-Identifier: Apache-2.0
//
// What every engine must do: sequences of random operations, of all kinds and types, with even and
// uneven counts, in place and not, against what the arrays must hold afterwards.
#include "collectives/communicator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/hierarchical/ranks_for_test.h"
#include "collectives/mpi_ranks_for_test.h"
#include "collectives/nccl/on_device_for_test.h"
#include "collectives/shm/ranks_for_test.h"
#include "collectives/solo_communicator.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

using Body = std::function<void(Communicator&)>;

[[maybe_unused]] void on_solo(int, const Body& body) {
  SoloCommunicator solo;
  body(solo);
}

[[maybe_unused]] void on_shm(int ranks, const Body& body) {
  auto segment = Segment::create(ranks);
  ASSERT_TRUE(segment.ok());
  run_shm_ranks(*segment, ranks, 1, body);
}

[[maybe_unused]] void on_tcp(int ranks, const Body& body) {
  TcpRanks(ranks).run(1, body);
}

#ifdef RINGMASTER_TEST_MPI
void on_mpi(int, const Body& body) {
  run_mpi_rank(body);
}
#endif

[[maybe_unused]] void on_nccl(int ranks, const Body& body) {
  run_gpu_ranks(ranks, GpuRanks::Gpus::own, body);
}

[[maybe_unused]] void on_staged_gpu(int ranks, const Body& body) {
  run_gpu_ranks(ranks, GpuRanks::Gpus::shared, body);
}

/// Two hosts with as many ranks, or hosts that differ, whose positions take turns.
[[maybe_unused]] void on_hosts(int ranks, const Body& body) {
  HierarchicalRanks(ranks == 4 ? std::vector<int>{0, 0, 1, 1} : std::vector<int>{0, 1, 0, 2, 1})
      .run(1, body);
}

struct Engine {
  const char* name;
  int ranks;
  void (*run)(int ranks, const Body& body);
};

constexpr Type kTypes[] = {RINGMASTER_FLOAT32, RINGMASTER_FLOAT64, RINGMASTER_INT32,
                           RINGMASTER_INT64,   RINGMASTER_UINT8,   RINGMASTER_FLOAT16,
                           RINGMASTER_BFLOAT16};

/// The same operation for all ranks, drawn from the same numbers.
struct Operation {
  int kind = 0;
  Type type = RINGMASTER_FLOAT32;
  Reduction reduction = RINGMASTER_SUM;
  int root = 0;
  bool in_place = false;
  std::uint64_t seed = 0;
  Counts counts;               // by position; all_reduce and broadcast take the first
  std::vector<Counts> matrix;  // all_to_all: [from][to]
};

Operation draw(Random& random, int ranks) {
  const auto size = [&] {
    constexpr std::size_t kMost[] = {1, 20, 1500, 40000};
    return random.below(kMost[random.below(4)]);
  };
  const auto counts = [&] {
    Counts all(static_cast<std::size_t>(ranks), size());
    if (random.chance(0.5)) {
      for (std::size_t& count : all) count = size();
    }
    return all;
  };
  Operation operation;
  operation.kind = static_cast<int>(random.below(7));
  operation.type = kTypes[random.below(7)];
  // Small whole numbers: sums of any order are exact in every type.
  operation.reduction = random.chance(0.5) ? RINGMASTER_SUM : RINGMASTER_MAX;
  operation.root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
  operation.in_place = random.chance(0.5);
  operation.seed = random.next();
  operation.counts = counts();
  for (int from = 0; from < ranks; ++from) operation.matrix.push_back(counts());
  return operation;
}

/// A small whole number in the type's bits.
void put(std::byte* to, Type type, std::uint32_t number) {
  const auto store = [&](auto value) { std::memcpy(to, &value, sizeof(value)); };
  const auto bits = [&](int mantissa, int bias) {
    int exponent = 0;
    while (number >> (exponent + 1) != 0) ++exponent;
    const std::uint32_t fraction = (number - (1U << exponent)) << mantissa >> exponent;
    const auto high = static_cast<std::uint32_t>(exponent + bias) << mantissa;
    return static_cast<std::uint16_t>(number == 0 ? 0 : high | fraction);
  };
  switch (type) {
    case RINGMASTER_FLOAT32:
      return store(static_cast<float>(number));
    case RINGMASTER_FLOAT64:
      return store(static_cast<double>(number));
    case RINGMASTER_INT32:
      return store(static_cast<std::int32_t>(number));
    case RINGMASTER_INT64:
      return store(static_cast<std::int64_t>(number));
    case RINGMASTER_UINT8:
      return store(static_cast<std::uint8_t>(number));
    case RINGMASTER_FLOAT16:
      return store(bits(10, 15));
    case RINGMASTER_BFLOAT16:
      return store(bits(7, 127));
  }
}

std::uint32_t number_of(const Operation& operation, int rank, std::size_t index) {
  Random random(operation.seed ^ (static_cast<std::uint64_t>(rank) << 40) ^ index);
  return static_cast<std::uint32_t>(random.below(8));
}

using Bytes = std::vector<std::byte>;

/// Elements made of `number(i)`.
Bytes make(Type type, std::size_t count, const std::function<std::uint32_t(std::size_t)>& number) {
  Bytes bytes(count * size_of(type));
  for (std::size_t i = 0; i < count; ++i) put(bytes.data() + i * size_of(type), type, number(i));
  return bytes;
}

Bytes contribution(const Operation& operation, int rank, std::size_t count) {
  return make(operation.type, count, [&](std::size_t i) { return number_of(operation, rank, i); });
}

Bytes reduction(const Operation& operation, int ranks, std::size_t begin, std::size_t count) {
  return make(operation.type, count, [&](std::size_t i) {
    std::uint32_t result = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::uint32_t next = number_of(operation, rank, begin + i);
      result = operation.reduction == RINGMASTER_SUM ? result + next : std::max(result, next);
    }
    return result;
  });
}

void all_reduce(Communicator& ring, const Operation& o) {
  const std::size_t count = o.counts[0];
  Bytes input = contribution(o, ring.position(), count), output(input.size());
  void* to = o.in_place ? input.data() : output.data();
  ASSERT_TRUE(ring.all_reduce(input.data(), to, count, o.type, o.reduction));
  EXPECT_EQ(o.in_place ? input : output, reduction(o, ring.size(), 0, count));
}

void reduce_scatter(Communicator& ring, const Operation& o) {
  Bytes input = contribution(o, ring.position(), total(o.counts));
  const auto own = o.counts[static_cast<std::size_t>(ring.position())];
  const std::size_t begin = before(o.counts, ring.position());
  Bytes output(own * size_of(o.type));
  std::byte* to = o.in_place ? input.data() + begin * size_of(o.type) : output.data();
  ASSERT_TRUE(ring.reduce_scatter(input.data(), to, o.counts, o.type, o.reduction));
  EXPECT_EQ(Bytes(to, to + output.size()), reduction(o, ring.size(), begin, own));
}

void all_gather(Communicator& ring, const Operation& o) {
  const std::size_t width = size_of(o.type);
  const auto own = o.counts[static_cast<std::size_t>(ring.position())];
  const Bytes input = contribution(o, ring.position(), own);
  Bytes output(total(o.counts) * width), expected;
  std::byte* place = output.data() + before(o.counts, ring.position()) * width;
  if (o.in_place) std::copy(input.begin(), input.end(), place);
  ASSERT_TRUE(ring.all_gather(o.in_place ? place : input.data(), output.data(), o.counts, o.type));
  for (int peer = 0; peer < ring.size(); ++peer) {
    const Bytes part = contribution(o, peer, o.counts[static_cast<std::size_t>(peer)]);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  EXPECT_EQ(output, expected);
}

void all_to_all(Communicator& ring, const Operation& o) {
  const auto own = static_cast<std::size_t>(ring.position());
  const Counts& give = o.matrix[own];
  Counts take;
  for (const Counts& row : o.matrix) take.push_back(row[own]);
  const Bytes input = contribution(o, ring.position(), total(give));
  Bytes output(total(take) * size_of(o.type)), expected;
  ASSERT_TRUE(ring.all_to_all(input.data(), give, output.data(), take, o.type));
  for (int peer = 0; peer < ring.size(); ++peer) {
    const Counts& row = o.matrix[static_cast<std::size_t>(peer)];
    const Bytes all = contribution(o, peer, total(row));
    const auto begin =
        all.begin() + static_cast<std::ptrdiff_t>(before(row, ring.position()) * size_of(o.type));
    const auto bytes = static_cast<std::ptrdiff_t>(row[own] * size_of(o.type));
    expected.insert(expected.end(), begin, begin + bytes);
  }
  EXPECT_EQ(output, expected);
}

void broadcast(Communicator& ring, const Operation& o) {
  const std::size_t count = o.counts[0];
  Bytes data = contribution(o, ring.position(), count);
  const bool keeps = ring.position() == o.root || !o.in_place;  // null: takes part, keeps nothing
  ASSERT_TRUE(ring.broadcast(keeps ? data.data() : nullptr, count, o.type, o.root));
  if (keeps) {
    EXPECT_EQ(data, contribution(o, o.root, count));
  }
}

/// Everybody sends what the matrix says, as two messages where it is in place; nothing is no
/// message.
void exchange(Communicator& ring, const Operation& o) {
  const std::size_t width = size_of(o.type);
  std::vector<Transfer> sends, receives;
  std::vector<Bytes> out, in;
  const auto messages = [&](Bytes& bytes, std::size_t count, int peer, std::vector<Transfer>& all) {
    const std::size_t first = o.in_place ? count / 3 : count;
    if (first > 0) all.push_back({bytes.data(), first, o.type, peer});
    if (first < count) all.push_back({bytes.data() + first * width, count - first, o.type, peer});
  };
  const auto own = static_cast<std::size_t>(ring.position());
  for (std::size_t peer = 0; peer < o.matrix.size(); ++peer) {
    out.push_back(contribution(o, ring.position(), o.matrix[own][peer]));
    in.emplace_back(o.matrix[peer][own] * width);
  }
  for (std::size_t peer = 0; peer < o.matrix.size(); ++peer) {
    messages(out[peer], o.matrix[own][peer], static_cast<int>(peer), sends);
    messages(in[peer], o.matrix[peer][own], static_cast<int>(peer), receives);
  }
  ASSERT_TRUE(ring.exchange(sends, receives).ok());
  for (std::size_t peer = 0; peer < o.matrix.size(); ++peer) {
    EXPECT_EQ(in[peer], contribution(o, static_cast<int>(peer), o.matrix[peer][own]));
  }
}

constexpr int kOperations = kSanitized ? 25 : 150;  // many times slower

class EveryEngine : public testing::TestWithParam<Engine> {};

TEST_P(EveryEngine, DoesWhatAllOperationsPromise) {
  GetParam().run(GetParam().ranks, [&](Communicator& ring) {
    Random random(static_cast<std::uint64_t>(GetParam().ranks));  // the same on all ranks
    for (int turn = 0; turn < kOperations && !testing::Test::HasFailure(); ++turn) {
      const Operation operation = draw(random, ring.size());
      SCOPED_TRACE(testing::Message() << "turn " << turn << ", kind " << operation.kind << ", type "
                                      << operation.type);
      if (operation.kind == 0) all_reduce(ring, operation);
      if (operation.kind == 1) reduce_scatter(ring, operation);
      if (operation.kind == 2) all_gather(ring, operation);
      if (operation.kind == 3) all_to_all(ring, operation);
      if (operation.kind == 4) broadcast(ring, operation);
      if (operation.kind == 6) exchange(ring, operation);
      if (operation.kind == 5) {
        EXPECT_TRUE(ring.barrier().ok());
      }
    }
  });
}

TEST_P(EveryEngine, TellsAnAllReduceFromAReduceScatterOfTheSameSize) {
  if (GetParam().ranks == 1) GTEST_SKIP() << "nobody to differ from";
  GetParam().run(GetParam().ranks, [&](Communicator& ring) {
    const Counts counts(static_cast<std::size_t>(ring.size()), 8);
    std::vector<float> in(total(counts)), out(total(counts));
    const auto end = ring.position() == 0 ? ring.all_reduce(in.data(), out.data(), in.size(),
                                                            RINGMASTER_FLOAT32, RINGMASTER_SUM)
                                          : ring.reduce_scatter(in.data(), out.data(), counts,
                                                                RINGMASTER_FLOAT32, RINGMASTER_SUM);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::mismatch);
    EXPECT_NE(end.error().message.find("called reduce_scatter"), std::string::npos)
        << end.error().message;
  });
}

/// A call that one rank makes where the others all-reduce eight float32, and what it is called.
struct Other {
  const char* text;
  Result<void> (*call)(Communicator& ring, std::vector<float>& in, std::vector<float>& out);
};
using FloatArray = std::vector<float>;
const Other kOthers[] = {
    {"all_reduce of 9 float32 (sum)",
     [](Communicator& ring, FloatArray& in, FloatArray& out) {
       return ring.all_reduce(in.data(), out.data(), 9, RINGMASTER_FLOAT32, RINGMASTER_SUM);
     }},
    {"all_reduce of 8 int32 (sum)",
     [](Communicator& ring, FloatArray& in, FloatArray& out) {
       return ring.all_reduce(in.data(), out.data(), 8, RINGMASTER_INT32, RINGMASTER_SUM);
     }},
    {"all_reduce of 8 float32 (max)",
     [](Communicator& ring, FloatArray& in, FloatArray& out) {
       return ring.all_reduce(in.data(), out.data(), 8, RINGMASTER_FLOAT32, RINGMASTER_MAX);
     }},
    {"broadcast of 8 float32 from 0",
     [](Communicator& ring, FloatArray& in, FloatArray&) {
       return ring.broadcast(in.data(), 8, RINGMASTER_FLOAT32, 0);
     }},
    {"barrier", [](Communicator& ring, FloatArray&, FloatArray&) { return ring.barrier(); }}};

TEST_P(EveryEngine, TellsAllRanksInTheSameWordsWhoCalledWhat) {
  if (GetParam().ranks == 1) GTEST_SKIP() << "nobody to differ from";
  int odd = 0;
  for (const Other& other : kOthers) {
    odd = (odd + 1) % GetParam().ranks;
    SCOPED_TRACE(testing::Message() << "rank " << odd << ": " << other.text);
    std::mutex mutex;
    std::vector<std::string> told;  // by the ranks of this process
    GetParam().run(GetParam().ranks, [&](Communicator& ring) {
      FloatArray in(16), out(16);
      const auto end = ring.position() == odd ? other.call(ring, in, out)
                                              : ring.all_reduce(in.data(), out.data(), 8,
                                                                RINGMASTER_FLOAT32, RINGMASTER_SUM);
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::mismatch);
      std::lock_guard lock(mutex);
      told.push_back(end.error().message);
    });
    ASSERT_FALSE(told.empty());
    for (const std::string& words : told) EXPECT_EQ(words, told[0]);
    const std::string named = "rank " + std::to_string(odd) + " called " + other.text;
    EXPECT_NE(told[0].find(named), std::string::npos) << told[0];
    EXPECT_NE(told[0].find("called all_reduce of 8 float32 (sum)"), std::string::npos) << told[0];
  }
}

TEST_P(EveryEngine, TellsAllRanksWhoGivesWhatNobodyTakes) {
  const int ranks = GetParam().ranks;
  if (ranks == 1) GTEST_SKIP() << "nobody to differ from";
  std::mutex mutex;
  std::vector<std::string> told;
  GetParam().run(ranks, [&](Communicator& ring) {
    Counts give(static_cast<std::size_t>(ranks), 2), take = give;
    if (ring.position() == 0) give.back() = 3;
    FloatArray in(total(give)), out(total(take));
    const auto end = ring.all_to_all(in.data(), give, out.data(), take, RINGMASTER_FLOAT32);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::mismatch);
    EXPECT_FALSE(ring.barrier().ok());  // nothing is in step after that
    std::lock_guard lock(mutex);
    told.push_back(end.error().message);
  });
  const std::string expected = "all_to_all: rank 0 gives 3 elements to rank " +
                               std::to_string(ranks - 1) + ", which takes 2";
  ASSERT_FALSE(told.empty());
  for (const std::string& words : told) EXPECT_EQ(words, expected);
}

#ifdef RINGMASTER_TEST_MPI
// Each rank is a process of its own, which MPI's launcher started with the others.
const Engine kEngines[] = {{"mpi", mpi_ranks_for_test(), on_mpi}};
#else
constexpr Engine kEngines[] = {{"solo", 1, on_solo},    {"shm1", 1, on_shm},    {"shm2", 2, on_shm},
                               {"shm3", 3, on_shm},     {"shm8", 8, on_shm},    {"tcp1", 1, on_tcp},
                               {"tcp2", 2, on_tcp},     {"tcp3", 3, on_tcp},    {"tcp5", 5, on_tcp},
                               {"hosts4", 4, on_hosts}, {"hosts5", 5, on_hosts}};
constexpr Engine kGpuEngines[] = {{"nccl1", 1, on_nccl},
                                  {"nccl2", 2, on_nccl},
                                  {"nccl4", 4, on_nccl},
                                  {"staged2", 2, on_staged_gpu},
                                  {"staged3", 3, on_staged_gpu}};

INSTANTIATE_TEST_SUITE_P(Gpus, EveryEngine, testing::ValuesIn(kGpuEngines),
                         [](const auto& one) { return std::string(one.param.name); });
#endif
INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, testing::ValuesIn(kEngines),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// What only the MPI engine has. It runs below mpirun: every rank is a process that runs all tests.
// It links no MPI, like the programs that users have: the engine's library does.
#include <gtest/gtest.h>

#include <numeric>

#include "collectives/mpi_ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

TEST(MpiCommunicator, KnowsItsPlace) {
  run_mpi_rank([](Communicator& ring) {
    EXPECT_EQ(ring.size(), read_mpi_place().ranks);
    EXPECT_EQ(ring.position(), read_mpi_place().rank);
    EXPECT_GT(ring.size(), 1);
  });
}

TEST(MpiCommunicator, AnAverageAndOtherReductionsOfShortFloats) {
  run_mpi_rank([](Communicator& ring) {
    const int n = ring.size();
    constexpr std::uint16_t kBrainOne = 0x3f80, kBrainTwo = 0x4000, kHalfTwo = 0x4000;
    std::uint16_t brain = kBrainTwo;
    ASSERT_TRUE(ring.all_reduce(&brain, &brain, 1, RINGMASTER_BFLOAT16, RINGMASTER_AVERAGE).ok());
    EXPECT_EQ(brain, kBrainTwo);
    brain = ring.position() == n - 1 ? kBrainOne : kBrainTwo;
    ASSERT_TRUE(ring.all_reduce(&brain, &brain, 1, RINGMASTER_BFLOAT16, RINGMASTER_MIN).ok());
    EXPECT_EQ(brain, kBrainOne);
    std::uint16_t half = kHalfTwo;  // 2^n: the exponent grows by one a rank
    ASSERT_TRUE(ring.all_reduce(&half, &half, 1, RINGMASTER_FLOAT16, RINGMASTER_PRODUCT).ok());
    EXPECT_EQ(half, (15 + n) << 10);
    double mine = ring.position();
    ASSERT_TRUE(ring.all_reduce(&mine, &mine, 1, RINGMASTER_FLOAT64, RINGMASTER_AVERAGE).ok());
    EXPECT_DOUBLE_EQ(mine, (n - 1) / 2.0);
    std::int32_t whole = 1;
    EXPECT_EQ(ring.all_reduce(&whole, &whole, 1, RINGMASTER_INT32, RINGMASTER_AVERAGE).error().code,
              Errc::invalid);
  });
}

TEST(MpiCommunicator, ABroadcastThatSomeDoNotKeepGoesInPieces) {
  run_mpi_rank([](Communicator& ring) {
    constexpr std::size_t kPiece = 4 << 20;
    std::vector<std::uint8_t> data(kPiece * 2 + 5);
    if (ring.position() == 0) std::iota(data.begin(), data.end(), std::uint8_t{0});
    void* kept = ring.position() == 1 ? nullptr : data.data();
    ASSERT_TRUE(ring.broadcast(kept, data.size(), RINGMASTER_UINT8, 0).ok());
    if (kept == nullptr) return;
    for (std::size_t i = 0; i < data.size(); i += 997) {
      ASSERT_EQ(data[i], static_cast<std::uint8_t>(i));
    }
  });
}

TEST(MpiCommunicator, TransfersMeetInTheirOrder) {
  run_mpi_rank([](Communicator& ring) {
    const int n = ring.size(), next = (ring.position() + 1) % n,
              last = (ring.position() + n - 1) % n;
    std::vector<std::int32_t> out = {ring.position(), 7, 8}, in(3, -1);
    const auto part = [](std::vector<std::int32_t>& data, std::size_t begin, std::size_t count,
                         int peer) {
      return Transfer{&data[begin], count, RINGMASTER_INT32, peer};
    };
    const auto end = ring.exchange({part(out, 0, 1, next), part(out, 1, 2, next)},
                                   {part(in, 0, 1, last), part(in, 1, 2, last)});
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(in, (std::vector<std::int32_t>{last, 7, 8}));
  });
}

TEST(MpiCommunicator, TransfersThatDoNotFitAreNamedAtBothEnds) {
  run_mpi_rank([](Communicator& ring) {
    if (ring.position() > 1) return;
    std::int32_t data[2] = {};
    const Transfer one{data, ring.position() == 0 ? 1u : 2u, RINGMASTER_INT32, 1 - ring.position()};
    const auto end = ring.position() == 0 ? ring.exchange({one}, {}) : ring.exchange({}, {one});
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::mismatch);
    EXPECT_EQ(end.error().message,
              ring.position() == 0
                  ? "send and receive: rank 0 sends 1 int32 in host memory, rank 1 takes 2 int32 "
                    "in host memory"
                  : "send and receive: rank 1 takes 2 int32 in host memory, rank 0 sends 1 int32 "
                    "in host memory");
  });
}

TEST(MpiCommunicator, PartsThatDoNotFitAreNamedOnAllRanks) {
  run_mpi_rank([](Communicator& ring) {
    const auto n = static_cast<std::size_t>(ring.size());
    Counts give(n, 1), take(n, 1);
    if (ring.position() == 1) take[0] = 2;
    std::vector<float> in(n), out(n + 1);
    const auto end = ring.all_to_all(in.data(), give, out.data(), take, RINGMASTER_FLOAT32);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().message, "all_to_all: rank 0 gives 1 elements to rank 1, which takes 2");
  });
}

/// In a launch of its own: MPI cannot be finalized with work under way, so the ranks leave without,
/// and the launcher ends whoever is still there.
TEST(MpiTimeOut, ARankThatDoesNotComeIsATimeOutForTheOthers) {
  run_mpi_rank([](Communicator& ring) {
    if (ring.position() == 0) return;
    ring.set_timeout(std::chrono::milliseconds(200));
    const auto end = ring.barrier();
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::timed_out);
    EXPECT_NE(end.error().message.find("barrier: a rank has not called it"), std::string::npos)
        << end.error().message;
    EXPECT_FALSE(ring.barrier().ok());  // nothing is in step any more
  });
}

}  // namespace
}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/choose.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/sanitized.h"
#include "collectives/schedules/simulate.h"

namespace ringmaster::collectives::schedules {
namespace {

TEST(Choose, FewRoundsForSmallArraysFewBytesForLargeOnes) {
  const Choice choice;
  for (const int ranks : {4, 7, 64}) {
    const auto at = [&](std::size_t bytes) {
      return choose(Operation::all_reduce, ranks, 0, bytes, choice).algorithm;
    };
    const bool pairs = ranks != 7;
    EXPECT_EQ(at(8), pairs ? Algorithm::doubling : Algorithm::gather);
    EXPECT_EQ(at(4096), Algorithm::doubling);
    EXPECT_NE(at(64 << 20), at(8));
    EXPECT_EQ(choose(Operation::broadcast, ranks, 1, 8, choice).algorithm, Algorithm::binomial);
    EXPECT_EQ(choose(Operation::broadcast, ranks, 1, 64 << 20, choice).algorithm, Algorithm::chain);
  }
  // The ring streams; its rounds count where there are many, or the array is short.
  for (const int ranks : {4, 7}) {
    EXPECT_EQ(choose(Operation::all_reduce, ranks, 0, 1 << 20, choice).algorithm, Algorithm::ring);
  }
  EXPECT_EQ(choose(Operation::all_reduce, 64, 0, 1 << 20, choice).algorithm, Algorithm::halving);
}

TEST(Choose, TakesWhatWasAskedForWhereItCan) {
  const auto choice = parse_choice("tree,round_us=5,byte_ns=0.08");
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->cost.round_us, 5);
  EXPECT_EQ(choice->cost.byte_ns, 0.08);
  EXPECT_EQ(choose(Operation::all_reduce, 8, 0, 8, *choice).algorithm, Algorithm::tree);
  EXPECT_EQ(choose(Operation::all_reduce, 1, 0, 8, *choice).segments, 1);
  EXPECT_EQ(choose(Operation::barrier, 8, 0, 0, *choice).algorithm, Algorithm::dissemination);
}

TEST(Choose, SaysWhatIsWrongWithAChoice) {
  EXPECT_EQ(parse_choice("rings").error().message, "there is no algorithm rings");
  EXPECT_EQ(parse_choice("hops=3").error().message, "there is no constant hops");
  EXPECT_EQ(parse_choice("ring,byte_ns=-1").error().message, "byte_ns=-1: not a positive number");
  EXPECT_FALSE(parse_choice("byte_ns=").ok());
  EXPECT_TRUE(parse_choice("").ok());
}

TEST(Simulate, AgreesWithThePrediction) {
  const Cost cost;
  for (const int ranks : {2, 4, 8, 13, 64}) {
    for (const std::size_t bytes : {1 << 10, 1 << 20, 64 << 20}) {
      for (const Algorithm algorithm : algorithms_of(Operation::all_reduce)) {
        Choice choice{cost, algorithm};
        const Plan plan = choose(Operation::all_reduce, ranks, 0, bytes, choice);
        const double predicted = predict(plan, bytes, cost);
        const double simulated = simulate(plan, bytes, 1, cost).seconds;
        EXPECT_GT(simulated, 0.5 * predicted) << name_of(algorithm) << " " << ranks << " " << bytes;
        EXPECT_LT(simulated, 1.4 * predicted) << name_of(algorithm) << " " << ranks << " " << bytes;
      }
    }
  }
}

TEST(Simulate, RanksOfOneHostShareItsNic) {
  const Cost cost;
  const Plan plan{Operation::all_reduce, Algorithm::ring, 16};
  const auto apart = simulate(plan, 16 << 20, 1, cost),
             together = simulate(plan, 16 << 20, 4, cost);
  // One of four hops leaves a host; its NIC carries as much as a rank's.
  EXPECT_EQ(apart.messages, 4 * together.messages);
  EXPECT_NEAR(together.bytes_sent, apart.bytes_sent, 1);
  const Plan halving{Operation::all_reduce, Algorithm::halving, 16};
  EXPECT_GT(simulate(halving, 16 << 20, 4, cost).bytes_sent, 2 * together.bytes_sent);
}

TEST(Simulate, AThousandRanks) {
  const Cost cost;
  std::vector<Algorithm> algorithms = {Algorithm::halving, Algorithm::tree};
  if (!kSanitized) algorithms.push_back(Algorithm::ring);  // it has 100 times the steps
  for (const Algorithm algorithm : algorithms) {
    const Plan plan = choose(Operation::all_reduce, 1000, 0, 64 << 20, {cost, algorithm});
    EXPECT_GT(simulate(plan, 64 << 20, 8, cost).seconds, 0.1);
  }
}

}  // namespace
}  // namespace ringmaster::collectives::schedules

// SPDX-License-Identifier: Apache-2.0
#include "worker/training/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringmaster::training {
namespace {

// Ten images in batches of four: steps of 4, 4 and 2 an epoch.
StepRecord record(std::int64_t step, std::int64_t generation = 1, int rank = 0) {
  const std::int64_t first = step % 3 * 4;
  const std::int64_t images = std::min<std::int64_t>(4, 10 - first);
  return {.step = step,
          .epoch = step / 3,
          .generation = generation,
          .first = first,
          .images = images,
          .counted = images,
          .rank = rank};
}

std::vector<StepRecord> two_epochs() {
  std::vector<StepRecord> records;
  for (std::int64_t step = 0; step < 6; ++step) {
    records.push_back(record(step, 1, 1));
    records.push_back(record(step, 1, 0));
  }
  return records;
}

std::string error_of(std::vector<StepRecord> records, std::int64_t steps = 6) {
  auto summary = check_ledger(std::move(records), steps, 10);
  return summary ? "no error" : summary.error().message;
}

TEST(Ledger, SumsUpACleanRun) {
  auto summary = check_ledger(two_epochs(), 6, 10);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->steps, 6);
  EXPECT_EQ(summary->epochs, 2);
  EXPECT_EQ(summary->images, 20);
  EXPECT_EQ(summary->generations, 1);
  EXPECT_EQ(summary->repeated, 0);
}

TEST(Ledger, ARunThatWentOnFromACheckpointIsCheckedFromThere) {
  auto records = two_epochs();
  std::erase_if(records, [](const StepRecord& r) { return r.step < 4; });
  auto summary = check_ledger(records, 6, 10, 4);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->steps, 2);
  EXPECT_EQ(summary->images, 6);
  EXPECT_FALSE(check_ledger(records, 6, 10, 3).ok());  // a step between them is missing
  EXPECT_FALSE(check_ledger(records, 6, 10, 5).ok());  // one is done that was in the checkpoint
  EXPECT_TRUE(check_ledger({}, 6, 10, 6).ok());        // nothing was left to do
}

TEST(Ledger, FollowsAHistoryThatWentBackToACheckpoint) {
  auto records = two_epochs();
  std::erase_if(records, [](const StepRecord& r) { return r.step > 4; });  // all ranks were lost
  for (std::int64_t step = 2; step < 6; ++step) records.push_back(record(step, 2));
  auto summary = check_ledger(records, 6, 10);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->repeated, 3);
  EXPECT_EQ(summary->images, 20);
}

TEST(Ledger, TakesTheNewestGenerationOfARepeatedStep) {
  auto records = two_epochs();
  std::erase_if(records,
                [](const StepRecord& r) { return r.step > 3 || (r.step == 3 && r.rank == 0); });
  records.back().counted = 1;  // step 3 of generation 1 went with rank 1: what it held is no matter
  for (std::int64_t step = 3; step < 6; ++step) records.push_back(record(step, 2));
  auto summary = check_ledger(records, 6, 10);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->generations, 2);
  EXPECT_EQ(summary->repeated, 1);
  EXPECT_EQ(summary->images, 20);
}

TEST(Ledger, TheLastEpochMayBeCutShort) {
  auto records = two_epochs();
  std::erase_if(records, [](const StepRecord& r) { return r.step > 4; });
  auto summary = check_ledger(records, 5, 10);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->epochs, 1);
  EXPECT_EQ(summary->images, 18);
}

TEST(Ledger, NamesTheFirstStepThatBreaksARule) {
  auto missing = two_epochs();
  std::erase_if(missing, [](const StepRecord& r) { return r.step == 2; });
  EXPECT_EQ(error_of(missing), "step 2: nobody finished it");
  EXPECT_EQ(error_of({}), "step 0: nobody finished it");
  EXPECT_EQ(error_of(two_epochs(), 7), "step 6: nobody finished it");
  EXPECT_EQ(error_of(two_epochs(), 5), "step 5: beyond the last of 5 steps");

  auto uncounted = two_epochs();
  for (auto& r : uncounted) r.counted -= r.step >= 1 ? 1 : 0;
  EXPECT_EQ(error_of(uncounted), "step 1: 3 of 4 samples counted");

  auto disagreeing = two_epochs();
  disagreeing[5].counted = 1;
  EXPECT_EQ(error_of(disagreeing), "step 2: ranks 0 and 1 disagree in generation 1");

  auto twice = two_epochs();
  twice.push_back(record(4));
  EXPECT_EQ(error_of(twice), "step 4: rank 0 finished it twice in generation 1");
}

TEST(Ledger, ARepeatedStepMakesTheNextOneRepeatToo) {
  auto records = two_epochs();
  records.push_back(record(3, 2));
  EXPECT_EQ(error_of(records),
            "step 4: generation 1 follows generation 2: it was not repeated after the step before "
            "it was");
}

TEST(Ledger, RefusesOverlapsGapsAndOverruns) {
  auto gap = two_epochs();
  for (auto& r : gap) r.first += r.step == 1 ? 1 : 0;
  EXPECT_EQ(error_of(gap), "step 1: holds 4 places from 5 of epoch 0, expected from 4 of epoch 0");
  auto epoch = two_epochs();
  for (auto& r : epoch) r.epoch = 0;
  EXPECT_EQ(error_of(epoch),
            "step 3: holds 4 places from 0 of epoch 0, expected from 0 of epoch 1");
  auto overrun = two_epochs();
  for (auto& r : overrun) r.images = r.counted = 4;
  EXPECT_EQ(error_of(overrun), "step 2: reaches beyond the 10 training images");
  auto empty = two_epochs();
  for (auto& r : empty) r.images = r.counted = 0;
  EXPECT_EQ(error_of(empty),
            "step 0: holds 0 places from 0 of epoch 0, expected from 0 of epoch 0");
  EXPECT_EQ(error_of({record(-1)}), "step -1: below 0");
}

}  // namespace
}  // namespace ringmaster::training

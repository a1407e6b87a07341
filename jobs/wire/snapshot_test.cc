// SPDX-License-Identifier: Apache-2.0
#include "jobs/wire/snapshot.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "jobs/core/dump.h"
#include "jobs/wire/snapshot.pb.h"

namespace ringmaster::jobs {
namespace {

constexpr Time at(std::int64_t seconds) {
  return Time(std::chrono::seconds(seconds));
}

/// A core with something in every field: a job that saves, has lost a rank and waits for a host.
Core some_core() {
  Core core;
  JobSpec spec;
  spec.name = "job";
  spec.ranks_max = 2;
  spec.restarts = 3;
  spec.hosts_max = 2;
  spec.save_every = 10;
  core.step(at(1), JobSubmitted{JobId{1}, spec});
  core.step(at(2), HostJoined{HostId{1}, "a", 1});
  core.step(at(2), HostJoined{HostId{2}, "b", 1});
  core.step(at(2), TermOpened{JobId{1}, 1, Term{2}, {Term{1}, 10}, ""});
  const auto id = [&](int number) {
    return core.state().jobs.at(JobId{1}).ranks[static_cast<std::size_t>(number)].id;
  };
  for (const int number : {0, 1}) core.step(at(3), RankStarted{id(number), "10.0.0.1:1"});
  for (const int number : {0, 1}) core.step(at(3), RankReady{id(number), kNoState, {}});
  core.step(at(4), RankSynced{id(0), Generation{1}, 12, Rank{0}});
  for (const int position : {0, 1}) {
    core.step(
        at(5),
        ShardWritten{
            id(position), Generation{1}, 20, position, 2, {8, 16}, {"key", 12, 7, {{0, 0, 8, 0}}}});
  }
  core.step(at(5), ShardWritten{id(0), Generation{1}, 30, 0, 2, {8, 16}, {"next", 12, 7, {}}});
  core.step(at(6), RankFailed{id(1), "words"});
  core.step(at(6), HostNotice{HostId{1}, at(60), "spot"});
  core.step(at(7), HostLost{HostId{2}, "gone"});
  core.step(at(8), JobSubmitted{JobId{4}, spec});
  core.step(at(8), StopRequested{JobId{4}, "ends in this step"});
  return core;
}

TEST(Snapshot, NothingIsLost) {
  const Core core = some_core();
  const auto back = core_of(snapshot_of(core));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(dump(back->state()), dump(core.state()));
  EXPECT_EQ(snapshot_of(*back), snapshot_of(core));
  EXPECT_EQ(back->last_step(), core.last_step());
  EXPECT_EQ(back->next_timer(), core.next_timer());
  const Job& job = core.state().jobs.at(JobId{1});
  EXPECT_FALSE(job.saves.collecting.empty());
  EXPECT_TRUE(job.saves.committing);
  const auto record = job_of_record(record_of(job));
  ASSERT_TRUE(record);
  EXPECT_EQ(record_of(*record), record_of(job));
}

TEST(Snapshot, ANewerOneIsRefusedWithALine) {
  wire::Snapshot newer;
  newer.set_format(kSnapshotFormat + 1);
  const auto core = core_of(newer.SerializeAsString());
  ASSERT_FALSE(core);
  EXPECT_EQ(core.error().code, Errc::invalid);
  EXPECT_NE(core.error().message.find("newer ringmaster"), std::string::npos);
}

TEST(Snapshot, BytesThatAreNoneAreToldOrRead) {
  const std::string whole = snapshot_of(some_core());
  EXPECT_FALSE(core_of(""));
  EXPECT_FALSE(core_of("\xff\xff"));
  Random random(3);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    if (round % 3 == 0) damaged.resize(random.below(whole.size()));
    static_cast<void>(core_of(damaged));
    static_cast<void>(job_of_record(damaged));
  }
}

}  // namespace
}  // namespace ringmaster::jobs

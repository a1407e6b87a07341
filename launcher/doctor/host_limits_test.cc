// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/doctor/sick_hosts_for_test.h"

namespace ringmaster::launcher::doctor {
namespace {

TEST(LimitChecks, EachFault) {
  expect_all({
      {"memlock", Level::problem, "8 MiB of memory may be locked, and mlx5_0",
       [](Facts& f) { f.limits.locked_bytes = 8 * kMega; }},
      {"memlock", Level::warning, "1 GiB", [](Facts& f) { f.limits.locked_bytes = kGiga; }},
      {"memlock", Level::ok, "no RDMA device",
       [](Facts& f) {
         f.limits.locked_bytes = 0;
         f.rdma.clear();
       }},
      {"memlock", Level::ok, "may lock all",
       [](Facts& f) {
         f.limits.locked_bytes = 0;
         f.limits.may_lock_all = true;
       }},
      {"open-files", Level::problem, "512 open files a rank",
       [](Facts& f) { f.limits.open_files = 512; }},
      {"open-files", Level::note, "4096 at most: enough to start 496 ranks",
       [](Facts& f) { f.limits.open_files = f.limits.open_files_max = 4096; }},
      {"threads", Level::problem, "100 more threads",
       [](Facts& f) {
         f.thread_limit = GroupLimit{1000, 900};
       }},
      {"threads", Level::warning, "enough for 1 ranks",
       [](Facts& f) {
         f.limits.threads = 1000;
         f.limits.threads_used = 600;
       }},
      {"threads", Level::note, "",
       [](Facts& f) {
         f.thread_limit = GroupLimit{3000, 0};
       }},
      {"threads", Level::ok, "no limit",
       [](Facts& f) {
         f.limits.threads = 10;
         f.limits.any_threads = true;
       }},
      {"processors", Level::note, "allows 1.5 of 4 processors",
       [](Facts& f) { f.processor_quota = 1.5; }},
      {"processors", Level::ok, "4", [](Facts& f) { f.processor_quota = 4; }},
      {"shm", Level::problem, "not there", [](Facts& f) { f.shared_memory->there = false; }},
      {"shm", Level::problem, "cannot be written",
       [](Facts& f) { f.shared_memory->writable = false; }},
      {"shm", Level::warning, "not in memory",
       [](Facts& f) { f.shared_memory->in_memory = false; }},
      {"shm", Level::warning, "64 MiB of 64 MiB",
       [](Facts& f) { f.shared_memory->bytes = f.shared_memory->free_bytes = 64 * kMega; }},
      {"shm", Level::problem, "32 MiB of 32 MiB",
       [](Facts& f) { f.shared_memory->bytes = f.shared_memory->free_bytes = 32 * kMega; }},
      {"shm", Level::problem, "1 MiB of 64 GiB",
       [](Facts& f) { f.shared_memory->free_bytes = kMega; }},
      {"shm", Level::warning, "100 MiB of 64 GiB",
       [](Facts& f) { f.shared_memory->free_bytes = 100 * kMega; }},
      {"tmp", Level::problem, "/tmp is not there", [](Facts& f) { f.temporary->there = false; }},
      {"tmp", Level::problem, "/tmp cannot be written",
       [](Facts& f) { f.temporary->writable = false; }},
      {"tmp", Level::problem, "1 MiB", [](Facts& f) { f.temporary->free_bytes = kMega; }},
      {"tmp", Level::warning, "512 MiB", [](Facts& f) { f.temporary->free_bytes = kGiga / 2; }},
  });
}

/// Of all that a host may have too little of: with less, no check looks better.
TEST(LimitChecks, LessNeverLooksBetter) {
  struct Scarce {
    const char* check;
    std::function<void(Facts&, std::uint64_t)> give;
    std::uint64_t most;
  };
  const std::vector<Scarce> all = {
      {"open-files", [](Facts& f, std::uint64_t n) { f.limits.open_files = n; }, 1 << 18},
      {"memlock", [](Facts& f, std::uint64_t n) { f.limits.locked_bytes = n; }, 8 * kGiga},
      {"threads",
       [](Facts& f, std::uint64_t n) {
         f.thread_limit = GroupLimit{n, 0};
       },
       1 << 14},
      {"shm", [](Facts& f, std::uint64_t n) { f.shared_memory->free_bytes = n; }, 2 * kGiga},
      {"shm",
       [](Facts& f, std::uint64_t n) { f.shared_memory->bytes = f.shared_memory->free_bytes = n; },
       2 * kGiga},
      {"tmp", [](Facts& f, std::uint64_t n) { f.temporary->free_bytes = n; }, 2 * kGiga},
      {"memory", [](Facts& f, std::uint64_t n) { f.memory->available = n; }, 64 * kGiga},
      {"overcommit",
       [](Facts& f, std::uint64_t n) {
         f.overcommit = 2;
         f.memory->commit_limit = n;
       },
       64 * kGiga},
  };
  for (const Scarce& scarce : all) {
    const auto level_with = [&](std::uint64_t amount) {
      Facts facts = healthy_host();
      scarce.give(facts, amount);
      return verdict_of(diagnose(facts), scarce.check).level;
    };
    EXPECT_EQ(level_with(0), Level::problem) << scarce.check;
    EXPECT_LE(level_with(scarce.most), Level::note) << scarce.check;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Random random(seed);
      const std::uint64_t less = random.below(scarce.most) >> random.below(24);
      const std::uint64_t more = less + random.below(scarce.most - less + 1);
      EXPECT_GE(level_with(less), level_with(more))
          << scarce.check << ": " << less << " and " << more << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

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

}  // namespace
}  // namespace ringmaster::launcher::doctor

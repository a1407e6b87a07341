// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/doctor/sick_hosts_for_test.h"

namespace ringmaster::launcher::doctor {
namespace {

TEST(MemoryChecks, EachFault) {
  expect_all({
      {"memory", Level::problem, "1 GiB of 128 GiB", [](Facts& f) { f.memory->available = kGiga; }},
      {"memory", Level::warning, "8 GiB", [](Facts& f) { f.memory->available = 8 * kGiga; }},
      {"memory",
       Level::unknown,
       "",
       [](Facts& f) { f.memory.reset(); },
       {"memory-limit", "swap", "huge-pages"}},
      {"memory-limit", Level::note, "allows 16 GiB of the host's 128 GiB",
       [](Facts& f) {
         f.memory_limit = GroupLimit{16 * kGiga, kGiga};
       }},
      {"memory-limit", Level::warning, "uses 15.9 GiB",
       [](Facts& f) {
         f.memory_limit = GroupLimit{16 * kGiga, 16 * kGiga - 100 * kMega};
       }},
      {"overcommit", Level::problem, "0 bytes",
       [](Facts& f) {
         f.overcommit = 2;
         f.memory->committed = 65 * kGiga;
       }},
      {"overcommit", Level::warning, "4 GiB of 64 GiB",
       [](Facts& f) {
         f.overcommit = 2;
         f.memory->committed = 60 * kGiga;
       }},
      {"overcommit", Level::note, "", [](Facts& f) { f.overcommit = 2; }},
      {"swap", Level::note, "2 GiB of 8 GiB",
       [](Facts& f) {
         f.memory->swap_total = 8 * kGiga;
         f.memory->swap_free = 6 * kGiga;
       }},
      {"swap", Level::ok, "0 bytes",
       [](Facts& f) { f.memory->swap_total = f.memory->swap_free = 8 * kGiga; }},
      {"huge-pages", Level::warning, "64 GiB of 128 GiB",
       [](Facts& f) { f.memory->huge_total = f.memory->huge_free = 64 * kGiga; }},
      {"huge-pages", Level::note, "10 GiB are unused",
       [](Facts& f) {
         f.memory->huge_total = 64 * kGiga;
         f.memory->huge_free = 10 * kGiga;
       }},
      {"shm-huge-pages", Level::note, "deny", [](Facts& f) { f.shared_huge_pages = "deny"; }},
      {"shm-huge-pages", Level::note, "never", [](Facts& f) { f.kernel = 515; }},
  });
}

}  // namespace
}  // namespace ringmaster::launcher::doctor

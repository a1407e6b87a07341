// SPDX-License-Identifier: Apache-2.0
//
// The host's memory, and what takes it from a run.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/doctor/checks.h"
#include "launcher/ending/memory_kills.h"

namespace ringmaster::launcher::doctor {

namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20, kGibibyte = 1ULL << 30;
constexpr const char* kNoMemoryFacts = "/proc/meminfo cannot be read";

std::string memory_text(std::uint64_t bytes) {
  return bytes_text(static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX)));
}

/// `part` of `whole` in percent; 0 of nothing.
double percent_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Verdicts judge_memory(const Facts& facts) {
  if (!facts.memory) return {not_known(kNoMemoryFacts)};
  const MemoryFacts& memory = *facts.memory;
  const std::string what = fmt::format("{} of {} are available", memory_text(memory.available),
                                       memory_text(memory.total));
  const double left = percent_of(memory.available, memory.total);
  const char* advice = "end what holds it (ps aux --sort -rss), or the kernel will end ranks";
  if (left < 3) return {problem(what, advice)};
  if (left < 10) return {warning(what, advice)};
  return {fine(what)};
}

Verdicts judge_memory_limit(const Facts& facts) {
  if (!facts.memory_limit || !facts.memory) return {not_known("no control group can be read")};
  const GroupLimit& group = *facts.memory_limit;
  if (group.limit >= facts.memory->total) return {fine("the control group allows all memory")};
  const std::string what = fmt::format("the control group allows {} of the host's {}, and uses {}",
                                       memory_text(group.limit), memory_text(facts.memory->total),
                                       memory_text(group.used));
  const char* advice =
      "give it more (docker: --memory, Kubernetes: limits, Slurm: --mem), or the "
      "kernel ends ranks at the limit";
  // Caches count as used and are given up before anybody is killed: so only a very full group
  // warns.
  if (percent_of(group.used, group.limit) > 95) return {warning(what, advice)};
  return {note(what, advice)};
}

Verdicts judge_overcommit(const Facts& facts) {
  constexpr int kStrict = 2;
  if (!facts.overcommit) return {not_known("vm.overcommit_memory cannot be read")};
  if (*facts.overcommit != kStrict) return {fine("memory may be promised before it is used")};
  if (!facts.memory) return {not_known(kNoMemoryFacts)};
  const MemoryFacts& memory = *facts.memory;
  const std::uint64_t left = memory.commit_limit - std::min(memory.commit_limit, memory.committed);
  const std::string what =
      fmt::format("vm.overcommit_memory is 2, and {} of {} are left to be promised",
                  memory_text(left), memory_text(memory.commit_limit));
  const char* advice =
      "sysctl vm.overcommit_memory=0: CUDA, Python and forks reserve far more "
      "than they use";
  if (left < kGibibyte / 2) return {problem(what, advice)};
  if (left < memory.total / 4) return {warning(what, advice)};
  return {note(what, advice)};
}

Verdicts judge_swap(const Facts& facts) {
  if (!facts.memory) return {not_known(kNoMemoryFacts)};
  const MemoryFacts& memory = *facts.memory;
  const std::uint64_t used = memory.swap_total - std::min(memory.swap_total, memory.swap_free);
  if (memory.swap_total == 0) return {fine("no swap")};
  const std::string what =
      fmt::format("{} of {} of swap are in use", memory_text(used), memory_text(memory.swap_total));
  if (used < std::max(256 * kMebibyte, memory.total / 100)) return {fine(what)};
  return {note(what,
               "see with vmstat 1 whether it moves (si, so): a rank that waits for swap holds "
               "up all others; swapoff -a && swapon -a once memory is free")};
}

Verdicts judge_reserved_pages(const Facts& facts) {
  if (!facts.memory) return {not_known(kNoMemoryFacts)};
  const MemoryFacts& memory = *facts.memory;
  if (memory.huge_total == 0) return {fine("no memory is reserved for huge pages")};
  const std::string what = fmt::format(
      "{} of {} are reserved for huge pages, of which {} are unused",
      memory_text(memory.huge_total), memory_text(memory.total), memory_text(memory.huge_free));
  const char* advice =
      "sysctl vm.nr_hugepages=0 where no program asks for them: nothing else can "
      "use that memory";
  const double unused = percent_of(memory.huge_free, memory.total);
  if (unused > 25) return {warning(what, advice)};
  return {unused > 5 ? note(what, advice) : fine(what)};
}

Verdicts judge_shared_huge_pages(const Facts& facts) {
  constexpr int kCollapses = 601;  // Linux 6.1 has MADV_COLLAPSE, which needs no setting
  if (!facts.shared_huge_pages || !facts.kernel) return {not_known("the setting cannot be read")};
  const std::string& setting = *facts.shared_huge_pages;
  const bool refused = setting == "deny" || (setting == "never" && *facts.kernel < kCollapses);
  if (!refused) return {fine("large all-reduces on this host can use huge pages")};
  return {note(fmt::format("shared memory gets no huge pages (shmem_enabled is {})", setting),
               "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled: large all-reduces "
               "on processors get faster")};
}

}  // namespace ringmaster::launcher::doctor

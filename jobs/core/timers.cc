// SPDX-License-Identifier: Apache-2.0
//
// The waits that end by themselves: the grace of a stopping job, a rank that does not leave a
// broken generation, a start that hangs.
#include <fmt/format.h>

#include <csignal>

#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

namespace {

/// Whether the ranks of this job join generations at all; a program that knows nothing of us is
/// started, and that is all that we ever hear.
bool ranks_join(const Job& job) {
  return job.formed() || job.count(RankState::ready) > 0;
}

/// When the rank has kept the others waiting for too long; nothing: they do not wait for it.
/// `joins`: ranks_join(), which looks at every rank, and is asked for once for all of them.
std::optional<Time> deadline(const Job& job, const RankRecord& rank, bool joins) {
  if (job.outcome) return std::nullopt;
  if (rank.state == RankState::leaving) return rank.since + job.spec.leave_timeout;
  const bool coming = rank.state == RankState::starting || rank.state == RankState::started;
  if (coming && joins) return rank.since + job.spec.start_timeout;
  return std::nullopt;
}

}  // namespace

void on_timers(Job& job, Time now, Actions& actions) {
  if (job.kill_at && *job.kill_at <= now) {
    job.kill_at.reset();
    for (RankRecord& rank : job.ranks) {
      if (rank.has_process()) kill_rank(rank, now, "the grace is over", actions);
    }
  }
  const bool joins = ranks_join(job);
  for (RankRecord& rank : job.ranks) {
    const auto due = deadline(job, rank, joins);
    if (!due || now < *due) continue;
    rank.words =
        rank.state == RankState::leaving
            ? fmt::format("did not leave generation {} in {:.0f} s", job.table.generation.value,
                          to_seconds(job.spec.leave_timeout))
            : fmt::format("was not ready after {:.0f} s", to_seconds(job.spec.start_timeout));
    if (!job.failure) {
      job.failure = Outcome{JobState::failed, 128 + SIGKILL,
                            fmt::format("rank {}: {}", rank.id.rank.value, rank.words)};
    }
    kill_rank(rank, now, rank.words, actions);
  }
}

std::optional<Time> next_timer(const Job& job) {
  if (job.ended()) return std::nullopt;
  std::optional<Time> next = job.kill_at;
  const bool joins = ranks_join(job);
  for (const RankRecord& rank : job.ranks) {
    const auto due = deadline(job, rank, joins);
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

}  // namespace ringmaster::jobs

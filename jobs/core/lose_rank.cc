// SPDX-License-Identifier: Apache-2.0
//
// What several events share: a rank is lost, a generation breaks, a job starts to stop.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

namespace {

// A reason is for a person: what came first is at its beginning.
constexpr std::size_t kReasonMax = 300;

}  // namespace

bool others_wait(const Job& job, const RankRecord& gone) {
  if (!job.finishing) return true;
  return std::any_of(job.ranks.begin(), job.ranks.end(), [&](const RankRecord& other) {
    return other.state == RankState::member && !other.finished && other.id != gone.id;
  });
}

void lose_rank(Job& job, RankRecord& rank, Time now, const std::string& why, Actions& actions) {
  const std::string text = fmt::format("rank {} lost: {}", rank.id.rank.value, why);
  // What follows for the others is for advance(). At the end of the work nobody starts again.
  if (job.spec.whole && !job.finishing) {
    rank.enter(RankState::ended, now);
    if (job.outcome || !job.again.empty()) return;
    if (!job.failure) job.failure = Outcome{JobState::failed, 1, text};
    if (job.restarts_used < job.spec.restarts) {
      will_start_again(job, now, Outcome(*job.failure), actions);
    }
    return;
  }
  if (rank.state == RankState::member && others_wait(job, rank)) break_generation(job, now, text);
  const bool replaced = !job.outcome && !job.finishing && job.restarts_used < job.spec.restarts;
  rank.has_state = false;
  rank.steps = kNoState;
  rank.words.clear();
  rank.moving = false;
  rank.enter(replaced ? RankState::absent : RankState::ended, now);
  if (replaced) ++job.restarts_used;
  if (job.outcome) return;
  actions.push_back(Report{
      job.id,
      replaced ? fmt::format("{}; replacement {} of {}", text, job.restarts_used, job.spec.restarts)
               : fmt::format("{}; not replaced: {}", text,
                             job.finishing ? "the work is complete" : "no restarts left")});
}

void break_generation(Job& job, Time now, const std::string& why) {
  if (!job.formed() || job.broken) return;
  job.broken = true;
  // A second break before the ring worked again is the same wound: its heal counts from the first.
  if (job.healed) {
    job.broken_since = now;
    job.broken_why = why;
  } else if (job.broken_why.size() < kReasonMax) {
    job.broken_why += "; " + why;
  }
  job.healed = false;
}

void kill_rank(RankRecord& rank, Time now, const std::string& why, Actions& actions) {
  CHECK(rank.has_process());
  if (rank.state != RankState::stopping) rank.enter(RankState::stopping, now);
  rank.signal = SIGKILL;
  actions.push_back(SignalRank{rank.id, SIGKILL, why});
}

void stop_job(Job& job, Time now, const Outcome& outcome, int signal, Actions& actions) {
  if (job.outcome) return;  // the first reason is the root cause
  job.outcome = outcome;
  job.again.clear();
  job.state = JobState::stopping;
  job.reason = outcome.reason;
  job.kill_at = now + job.spec.grace;
  for (RankRecord& rank : job.ranks) {
    if (rank.state == RankState::absent) rank.enter(RankState::ended, now);
    if (!rank.has_process() || rank.state == RankState::stopping) continue;
    rank.enter(RankState::stopping, now);
    rank.signal = signal;
    actions.push_back(SignalRank{rank.id, signal, outcome.reason});
  }
}

void give_up(Job& job, Time now, const std::string& why, Actions& actions) {
  Outcome outcome = job.failure.value_or(Outcome{JobState::failed, 1, "ranks were lost"});
  outcome.reason += fmt::format("; {}", why);
  stop_job(job, now, outcome, SIGTERM, actions);
}

}  // namespace ringmaster::jobs

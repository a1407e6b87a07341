// SPDX-License-Identifier: Apache-2.0
//
// What follows from a job's state, whatever event led to it: which ranks start, whether the
// generation must end, who is in the next one, whether the job is over.
//
// One function for all events, instead of consequences in every handler: two losses at once, a
// join during a loss or an end during a join then need no cases of their own.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "jobs/core/handlers.h"
#include "jobs/core/meeting.h"
#include "jobs/core/placement.h"

namespace ringmaster::jobs {

namespace {

/// Once a rank has passed the end of the work nobody is replaced, and newcomers have nothing to do.
void retire_newcomers(Job& job, Time now, Actions& actions) {
  for (RankRecord& rank : job.ranks) {
    const bool coming = rank.state == RankState::starting || rank.state == RankState::started ||
                        (rank.state == RankState::ready && rank.steps == kNoState);
    if (rank.state == RankState::absent) rank.enter(RankState::ended, now);
    if (coming) kill_rank(rank, now, "the work is complete", actions);
  }
}

bool lacks_only_time(const State& state) {
  return std::any_of(state.hosts.begin(), state.hosts.end(),
                     [](const auto& at) { return at.second.state == HostState::creating; });
}

void start_ranks(const State& state, Job& job, Time now, Actions& actions) {
  if (job.count(RankState::absent) == 0) return;
  const bool first = job.state == JobState::waiting;
  // Hosts on their way are worth the wait, unless some have already come to nothing.
  const bool more_to_come = job.host_failures == 0 && lacks_only_time(state);
  const int gang = more_to_come ? job.spec.ranks_max : job.spec.ranks_min;
  const Placement placement = place(state, job, first ? gang : 1);
  if (!placement.reason.empty()) job.reason = placement.reason;
  for (const auto& [number, host] : placement.hosts) {
    RankRecord& rank = job.ranks[static_cast<std::size_t>(number.value)];
    const bool again = rank.id.incarnation.value > 0;
    rank.id.incarnation = Incarnation{++job.last_incarnation.value};
    rank.host = host;
    if (number == Rank{0}) job.meeting = choose_meeting(state, job, host);
    rank.signal = 0;
    ++rank.starts;
    rank.endpoint.clear();
    rank.enter(RankState::starting, now);
    const char* why = !again           ? "first start"
                      : job.spec.whole ? "all start again"
                                       : "replaces a lost rank";
    actions.push_back(StartRank{rank.id, host, why, rank.starts - 1});
  }
  if (first && !placement.hosts.empty()) {
    job.state = JobState::starting;
    job.reason = "its ranks are starting";
  }
}

/// Whether the ranks have made something, and none is left that holds it.
bool state_lost(const Job& job) {
  if (job.finishing || job.state == JobState::waiting || !job.state_exists) return false;
  return std::none_of(job.ranks.begin(), job.ranks.end(), [](const RankRecord& rank) {
    // What a member or a leaving rank holds is known when it is ready again.
    return rank.succeeded || rank.state == RankState::member || rank.state == RankState::leaving ||
           (rank.state == RankState::ready && rank.has_state);
  });
}

/// Why too few ranks are left to go on, or "".
std::string too_few(const Job& job) {
  if (job.finishing || job.state == JobState::waiting) return "";
  int alive = 0, succeeded = 0, lost = 0;
  for (const RankRecord& rank : job.ranks) {
    alive += rank.state != RankState::ended ? 1 : 0;
    succeeded += rank.succeeded ? 1 : 0;
    lost += rank.state == RankState::ended && !rank.succeeded ? 1 : 0;
  }
  if (lost > 0 && alive + succeeded < job.spec.ranks_min) {
    return fmt::format("{} ranks are left, {} are needed, and {} restarts are used up", alive,
                       job.spec.ranks_min, job.spec.restarts);
  }
  return "";
}

/// Goes back to a checkpoint, or gives up, when the job cannot go on as it is.
void look_at_losses(Job& job, Time now, Actions& actions) {
  const bool saved = job.saves.durable.exists() || job.saves.committing;
  if (!state_lost(job)) {
    if (const std::string why = too_few(job); !why.empty()) give_up(job, now, why, actions);
  } else if (saved && too_few(job).empty()) {
    go_back(job, actions);
  } else {
    give_up(job, now, "no rank that held the state is left", actions);
  }
}

/// Ends the generation for all its members when someone waits to join, or to move to another host.
void break_for_newcomers(const State& state, Job& job, Time now) {
  if (job.finishing || job.count(RankState::member) == 0) return;
  if (movable(state, job)) break_generation(job, now, "ranks move from a host that is reclaimed");
  for (const RankRecord& rank : job.ranks) {
    if (rank.state != RankState::ready) continue;
    break_generation(job, now, fmt::format("rank {} joins", rank.id.rank.value));
    return;
  }
}

void abort_if_broken(Job& job, Time now, Actions& actions) {
  if (!job.broken) return;
  bool any = false;
  for (RankRecord& rank : job.ranks) {
    // A finished rank touches the generation no more: it is left to end in its own time.
    if (rank.state != RankState::member || rank.finished) continue;
    rank.enter(RankState::leaving, now);
    any = true;
  }
  if (any) {
    actions.push_back(AbortGeneration{job.id, job.table.generation, job.broken_why});
  }
}

bool can_form(const Job& job) {
  if (job.formed() && !job.broken) return false;
  if (job.saves.opening) return false;
  int ready = 0, succeeded = 0;
  for (const RankRecord& rank : job.ranks) {
    // A rank that is being killed is fenced only when it is dead.
    if (rank.state == RankState::leaving || rank.state == RankState::stopping) return false;
    // The first gang is whole: it waits for everybody who is on the way.
    const bool coming = rank.state == RankState::starting || rank.state == RankState::started;
    if (coming && !job.formed()) return false;
    ready += rank.state == RankState::ready ? 1 : 0;
    succeeded += rank.succeeded ? 1 : 0;
  }
  const int needed = job.finishing ? 1 : std::max(1, job.spec.ranks_min - succeeded);
  return ready >= needed;
}

bool is_member(const GenerationTable& table, const RankId& id) {
  return std::any_of(table.members.begin(), table.members.end(),
                     [&](const Member& member) { return member.id == id; });
}

void form(Job& job, Time now, Actions& actions) {
  GenerationTable table;
  table.generation = Generation{job.table.generation.value + 1};
  for (RankRecord& rank : job.ranks) {
    if (rank.state != RankState::ready) continue;
    table.members.push_back({rank.id, rank.host, rank.endpoint});
    if (!is_member(job.table, rank.id)) table.joined.push_back(rank.id.rank);
    rank.enter(RankState::member, now);
  }
  for (const Member& member : job.table.members) {
    if (!is_member(table, member.id)) table.lost.push_back(member.id.rank);
  }
  table.since = job.broken_since;
  table.reason = job.broken ? job.broken_why : "all ranks are ready";
  table.term = job.saves.term;
  if (!job.state_exists) table.restore = job.saves.restore;
  job.table = table;
  job.broken = false;
  job.state = JobState::running;
  job.reason = fmt::format("generation {}: {}", table.generation.value, table.reason);
  actions.push_back(FormGeneration{job.id, table});
}

/// Whether a whole save is still to become a checkpoint. The store's answers have a limit.
bool store_owes(const Saves& saves) {
  return saves.committing ||
         (saves.opening && std::any_of(saves.collecting.begin(), saves.collecting.end(),
                                       [](const auto& at) { return at.second.complete(); }));
}

void end_if_over(Job& job, Actions& actions) {
  for (const RankRecord& rank : job.ranks) {
    if (rank.state != RankState::ended) return;
  }
  if (store_owes(job.saves)) {
    job.reason = "its last checkpoint is being written";
    return;
  }
  const Outcome outcome =
      job.outcome.value_or(Outcome{JobState::done, 0, "every rank has done its work"});
  job.state = outcome.state;
  job.reason = outcome.reason;
  job.outcome = outcome;
  job.kill_at.reset();
  actions.push_back(EndJob{job.id, outcome.state, outcome.exit_code, outcome.reason});
}

}  // namespace

void advance(State& state, Job& job, Time now, Actions& actions) {
  commit_saves(job, actions);  // before: what is complete may be what the job goes back to
  if (!job.outcome && !job.again.empty()) start_again(job, now, actions);
  if (!job.outcome && job.again.empty()) {
    if (job.finishing) retire_newcomers(job, now, actions);
    look_at_losses(job, now, actions);
  }
  if (!job.outcome && job.again.empty()) {
    // The ring first: survivors go on while the replacement's process is being made.
    break_for_newcomers(state, job, now);
    abort_if_broken(job, now, actions);
    if (can_form(job)) move_ranks(state, job, now, actions);
    if (can_form(job)) form(job, now, actions);
    start_ranks(state, job, now, actions);
    const bool saves = job.spec.saves() && job.state != JobState::waiting;
    if (saves && job.saves.term.value == 0 && !job.saves.opening) {
      open_term(job, "the job starts", actions);
    }
    const bool all_run = job.count(RankState::absent) == 0 && job.count(RankState::starting) == 0;
    if (job.state == JobState::starting && all_run) {
      job.state = JobState::running;
      job.reason = "its ranks run";
    }
  }
  end_if_over(job, actions);
}

}  // namespace ringmaster::jobs

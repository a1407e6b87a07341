// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/decide.h"

#include <algorithm>
#include <set>

#include "jobs/core/describe.h"
#include "jobs/core/job_of.h"

namespace ringmaster::jobs {

namespace {

/// What concerns no job in particular (a host is made) stands in the story of every job that the
/// step has to do with.
std::vector<StoryLine> tell(const Decided& decided, const std::string& words, const State& state) {
  const JobId of_event = job_of(decided.event);
  std::set<JobId> concerned = {of_event};
  for (const Action& action : decided.actions) concerned.insert(job_of(action));
  concerned.erase(JobId{});
  std::vector<StoryLine> story;
  for (const JobId job : concerned) {
    if (of_event == job || of_event == JobId{}) {
      story.push_back({job, decided.wall, false, event_name(decided.event), words});
    }
    for (const Action& action : decided.actions) {
      const JobId of_action = job_of(action);
      if (of_action != job && of_action != JobId{}) continue;
      const auto* report = std::get_if<Report>(&action);
      story.push_back({job, decided.wall, true, action_name(action),
                       report != nullptr ? report->text : describe(action, state)});
    }
  }
  return story;
}

}  // namespace

Decided decide(Core& core, Time now, double wall, const Event& event) {
  Decided decided{.event = event, .time = now, .wall = wall};
  const std::string words = describe(event, core.state());  // before: a host may go with it
  decided.actions = core.step(now, event);
  decided.story = tell(decided, words, core.state());
  for (const Action& action : decided.actions) {
    decided.promises = decided.promises || std::holds_alternative<CreateHost>(action);
    const auto* end = std::get_if<EndJob>(&action);
    if (end == nullptr) continue;
    EndedJob& ended = decided.ended.emplace_back(EndedJob{*end, core.state().jobs.at(end->job)});
    ended.job.saves.collecting.clear();  // will never be whole
    for (const RankRecord& rank : ended.job.ranks) ended.steps = std::max(ended.steps, rank.steps);
  }
  return decided;
}

}  // namespace ringmaster::jobs

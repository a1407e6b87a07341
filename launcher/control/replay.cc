// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/core/describe.h"

namespace ringmaster::launcher {

Result<Replay> Replay::open(const StateHome& home) {
  auto journal = jobs::Journal::open(home.file("journal.db"), jobs::Journal::Mode::read);
  if (!journal) return journal.error();
  return Replay(std::move(*journal));
}

Result<std::vector<Replay::Told>> Replay::next() {
  std::vector<Told> all;
  auto read = journal_->read_events(last_, [&](const jobs::JournalEvent& at) {
    last_ = at.number;
    Told told;
    told.wall = at.wall;
    told.event = at.event;
    told.text = jobs::describe(at.event, core_.state());
    told.actions = core_.step(at.time, at.event);
    for (const jobs::Action& action : told.actions) {
      told.action_texts.push_back(jobs::describe(action, core_.state()));
    }
    all.push_back(std::move(told));
  });
  if (!read) return read.error();
  return all;
}

Result<jobs::JobEntry> Replay::find_job(const std::string& word) const {
  auto jobs = journal_->read_jobs();
  if (!jobs) return jobs.error();
  std::vector<jobs::JobEntry> found;
  for (jobs::JobEntry& job : *jobs) {
    if (fmt::format("{}", job.job.value) == word) return std::move(job);
    if (job.name == word) found.push_back(std::move(job));
  }
  if (found.empty()) return Error{Errc::not_found, fmt::format("there is no job {}", word)};
  std::string living;
  int count = 0;
  for (const jobs::JobEntry& job : found) {
    if (!job.state.empty()) continue;
    living += fmt::format("{}{}", count++ == 0 ? "" : ", ", job.job.value);
  }
  if (count > 1) {
    return Error{Errc::invalid,
                 fmt::format("{} jobs are called {}: say which one: {}", count, word, living)};
  }
  const auto one =
      std::find_if(found.begin(), found.end(), [](const auto& job) { return job.state.empty(); });
  return one != found.end() ? std::move(*one) : std::move(found.back());
}

namespace {

struct JobOf {
  jobs::JobId operator()(const jobs::JobSubmitted& event) const { return event.job; }
  jobs::JobId operator()(const jobs::StopRequested& event) const { return event.job; }
  jobs::JobId operator()(const jobs::AbortGeneration& action) const { return action.job; }
  jobs::JobId operator()(const jobs::FormGeneration& action) const { return action.job; }
  jobs::JobId operator()(const jobs::TermOpened& event) const { return event.job; }
  jobs::JobId operator()(const jobs::TermFailed& event) const { return event.job; }
  jobs::JobId operator()(const jobs::CheckpointCommitted& event) const { return event.job; }
  jobs::JobId operator()(const jobs::CheckpointFailed& event) const { return event.job; }
  jobs::JobId operator()(const jobs::OpenTerm& action) const { return action.job; }
  jobs::JobId operator()(const jobs::CommitCheckpoint& action) const { return action.job; }
  jobs::JobId operator()(const jobs::AskForSave& action) const { return action.job; }
  jobs::JobId operator()(const jobs::EndJob& action) const { return action.job; }
  jobs::JobId operator()(const jobs::Report& action) const { return action.job; }
  template <class T>
  jobs::JobId operator()(const T& other) const {
    if constexpr (requires { other.id; }) return other.id.job;
    return {};
  }
};

}  // namespace

jobs::JobId job_of(const jobs::Event& event) {
  return std::visit(JobOf{}, event);
}
jobs::JobId job_of(const jobs::Action& action) {
  return std::visit(JobOf{}, action);
}

}  // namespace ringmaster::launcher

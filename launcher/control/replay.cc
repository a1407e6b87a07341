// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/replay.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::launcher {

Result<Replay> Replay::open(const StateHome& home) {
  auto journal = jobs::Journal::open(home.file("journal.db"), jobs::Journal::Mode::read);
  if (!journal) return journal.error();
  return Replay(std::move(*journal));
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
    if (job.record) continue;
    living += fmt::format("{}{}", count++ == 0 ? "" : ", ", job.job.value);
  }
  if (count > 1) {
    return Error{Errc::invalid,
                 fmt::format("{} jobs are called {}: say which one: {}", count, word, living)};
  }
  const auto one =
      std::find_if(found.begin(), found.end(), [](const auto& job) { return !job.record; });
  return one != found.end() ? std::move(*one) : std::move(found.back());
}

std::optional<Replay::Seen> Replay::complete(jobs::JobEntry entry) const {
  if (entry.record) {
    jobs::Job job = *entry.record;
    job.saves.durable.steps = std::max(job.saves.durable.steps, entry.durable);
    const std::int64_t steps = entry.steps;
    return Seen{std::move(entry), std::move(job), steps};
  }
  const auto found = core_.state().jobs.find(entry.job);
  if (found == core_.state().jobs.end()) return std::nullopt;
  std::int64_t steps = 0;
  for (const auto& rank : found->second.ranks) steps = std::max(steps, rank.steps);
  const auto heard = journal_->read_progress(entry.job);
  if (heard && *heard) steps = std::max(steps, **heard);
  return Seen{std::move(entry), found->second, steps};
}

Result<Replay::Seen> Replay::see(const std::string& word) {
  // Between the looks at its entry and at the state it may have ended: then its entry tells all.
  for (int look = 0; look < 2; ++look) {
    if (auto news = next(); !news) return news.error();
    auto entry = find_job(word);
    if (!entry) return entry.error();
    if (!entry->record) {
      if (auto news = next(); !news) return news.error();
    }
    if (auto seen = complete(std::move(*entry))) return std::move(*seen);
  }
  return Error{Errc::corrupt, fmt::format("the journal lacks the job {}", word)};
}

Result<std::vector<Replay::Seen>> Replay::see_all() {
  if (auto news = next(); !news) return news.error();
  auto entries = journal_->read_jobs();
  if (!entries) return entries.error();
  std::vector<Seen> all;
  for (jobs::JobEntry& entry : *entries) {
    if (auto seen = complete(std::move(entry))) all.push_back(std::move(*seen));
  }
  return all;
}

}  // namespace ringmaster::launcher

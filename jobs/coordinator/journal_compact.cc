// SPDX-License-Identifier: Apache-2.0
//
// What keeps the journal small.
#include "jobs/coordinator/journal.h"
#include "jobs/coordinator/statement.h"
#include "jobs/wire/snapshot.h"

namespace ringmaster::jobs {

Result<void> Journal::compact(const Core& core) {
  const std::string state = snapshot_of(core);
  return as_one(false, [&]() -> Result<void> {
    const auto number = newest_event();
    if (!number) return number.error();
    Statement put(database_,
                  "INSERT OR REPLACE INTO snapshot (one, event, state, checksum) VALUES (1,?,?,?)");
    put.bind(*number).bind(state).bind(std::int64_t{checksum_of(*number, 0, state)});
    if (auto done = finish(put); !done) return done;
    // All of them: SQLite then drops whole pages instead of rows.
    Statement drop(database_, "DELETE FROM events");
    if (auto done = finish(drop); !done) return done;
    Statement trim(database_,
                   "DELETE FROM story WHERE job=?1 AND line <= (SELECT max(line) FROM story WHERE "
                   "job=?1) - ?2");
    for (const auto& [id, job] : core.state().jobs) {
      if (auto done = finish(trim.rewind().bind(id.value).bind(kStoryMax)); !done) return done;
    }
    return {};
  });
}

Result<std::vector<JobId>> Journal::surplus_jobs(std::int64_t keep, std::int64_t most) const {
  Statement rows(
      database_,
      "SELECT job FROM jobs WHERE record IS NOT NULL ORDER BY job DESC LIMIT ? OFFSET ?");
  rows.bind(most).bind(keep);
  std::vector<JobId> found;
  while (rows.step()) found.push_back(JobId{rows.number(0)});
  if (!rows.ok()) return failure("read");
  return found;
}

Result<void> Journal::forget_job(JobId job) {
  return as_one(false, [&]() -> Result<void> {
    for (const char* sql : {"DELETE FROM story WHERE job=?", "DELETE FROM progress WHERE job=?",
                            "DELETE FROM jobs WHERE job=? AND record IS NOT NULL"}) {
      Statement remove(database_, sql);
      if (auto removed = finish(remove.bind(job.value)); !removed) return removed;
    }
    return {};
  });
}

}  // namespace ringmaster::jobs

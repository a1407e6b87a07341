// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "jobs/coordinator/journal.h"
#include "jobs/coordinator/statement.h"
#include "jobs/wire/convert.h"
#include "jobs/wire/snapshot.h"

namespace ringmaster::jobs {

namespace {

constexpr const char* kJobColumns =
    "SELECT job, name, file, spec, launch, submitted, record, ended, steps, durable FROM jobs ";

Result<JobEntry> entry_of(const Statement& row) {
  JobEntry entry;
  entry.job = JobId{row.number(0)};
  entry.name = row.bytes(1);
  entry.file = row.bytes(2);
  entry.spec = row.bytes(3);
  if (!entry.launch.ParseFromString(row.bytes(4))) {
    return Error{Errc::corrupt, "its launch is no message"};
  }
  entry.submitted = row.real(5);
  const std::string record = row.bytes(6);
  if (record.empty()) return entry;
  auto job = job_of_record(record);
  if (!job) return job.error();
  entry.durable = std::max(job->saves.durable.steps, row.is_null(9) ? -1 : row.number(9));
  entry.record = std::move(*job);
  entry.ended = row.real(7);
  entry.steps = row.number(8);
  return entry;
}

}  // namespace

Result<void> Journal::catch_up(Core& core, std::int64_t& last) const {
  // One view of both: a compaction in between would take the events away.
  if (auto begun = run("BEGIN"); !begun) return begun;
  auto read = read_snapshot(core, last);
  if (read) read = read_events(core, last);
  static_cast<void>(run("ROLLBACK"));  // nothing was written
  return read;
}

Result<void> Journal::read_snapshot(Core& core, std::int64_t& last) const {
  Statement row(database_, "SELECT event, state, checksum FROM snapshot WHERE event>?");
  row.bind(last);
  if (!row.step()) return row.ok() ? Result<void>() : failure("read");
  const std::int64_t number = row.number(0);
  const std::string state = row.bytes(1);
  if (row.number(2) != checksum_of(number, 0, state)) {
    return damage(fmt::format("the snapshot at event {} has another checksum", number));
  }
  auto restored = core_of(state);
  if (!restored) return Error{restored.error().code, path_ + ": " + restored.error().message};
  core = std::move(*restored);
  last = number;
  return {};
}

Result<void> Journal::read_events(Core& core, std::int64_t& last) const {
  Statement rows(
      database_,
      "SELECT number, time_ns, event, checksum FROM events WHERE number>? ORDER BY number");
  rows.bind(last);
  while (rows.step()) {
    const std::int64_t number = rows.number(0);
    // Numbers are given one by one: a gap or a step back is damage.
    if (number != last + 1) return damage(fmt::format("event {} is not there", last + 1));
    const std::string bytes = rows.bytes(2);
    if (rows.number(3) != checksum_of(number, rows.number(1), bytes)) {
      return damage(fmt::format("event {} has another checksum", number));
    }
    wire::Event message;
    auto event = message.ParseFromString(bytes) ? from_wire(message)
                                                : Error{Errc::corrupt, "it is no message"};
    if (!event) return damage(fmt::format("event {}: {}", number, event.error().message));
    last = number;
    static_cast<void>(core.step(Time(std::chrono::nanoseconds(rows.number(1))), *event));
  }
  return rows.ok() ? Result<void>() : failure("read");
}

Result<std::int64_t> Journal::count_events() const {
  Statement row(database_, "SELECT count(*) FROM events");
  if (!row.step()) return failure("read");
  return row.number(0);
}

Result<std::int64_t> Journal::newest_event() const {
  // SQLite counts for the one table that has asked for it, whatever is deleted.
  Statement row(database_, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence");
  if (!row.step()) return failure("read");
  return row.number(0);
}

Result<std::vector<JobEntry>> Journal::read_jobs() const {
  Statement rows(database_, (std::string(kJobColumns) + "ORDER BY job").c_str());
  return read_entries(rows);
}

Result<std::vector<JobEntry>> Journal::read_living_jobs() const {
  Statement rows(database_,
                 (std::string(kJobColumns) + "WHERE record IS NULL ORDER BY job").c_str());
  return read_entries(rows);
}

Result<std::vector<JobEntry>> Journal::read_entries(Statement& rows) const {
  std::vector<JobEntry> jobs;
  while (rows.step()) {
    auto entry = entry_of(rows);
    if (!entry) return damage(fmt::format("job {}: {}", rows.number(0), entry.error().message));
    jobs.push_back(std::move(*entry));
  }
  if (!rows.ok()) return failure("read");
  return jobs;
}

Result<std::optional<JobEntry>> Journal::read_job(JobId job) const {
  Statement row(database_, (std::string(kJobColumns) + "WHERE job=?").c_str());
  row.bind(job.value);
  if (!row.step()) {
    if (!row.ok()) return failure("read");
    return std::optional<JobEntry>();
  }
  auto entry = entry_of(row);
  if (!entry) return damage(fmt::format("job {}: {}", job.value, entry.error().message));
  return std::optional<JobEntry>(std::move(*entry));
}

Result<std::int64_t> Journal::read_story(
    JobId job, std::int64_t after,
    const std::function<void(std::int64_t, const StoryLine&)>& take) const {
  Statement rows(database_,
                 "SELECT line, wall, decision, name, text FROM story WHERE job=? AND line>? ORDER "
                 "BY line");
  rows.bind(job.value).bind(after);
  while (rows.step()) {
    after = rows.number(0);
    take(after, {job, rows.real(1), rows.number(2) != 0, rows.bytes(3), rows.bytes(4)});
  }
  if (!rows.ok()) return failure("read");
  return after;
}

Result<std::vector<Source>> Journal::read_sources() const {
  Statement rows(database_, "SELECT host, number FROM sources");
  std::vector<Source> sources;
  while (rows.step()) sources.push_back({HostId{rows.number(0)}, rows.number(1)});
  if (!rows.ok()) return failure("read");
  return sources;
}

Result<std::optional<std::int64_t>> Journal::read_progress(JobId job) const {
  Statement row(database_, "SELECT max(steps), count(*) FROM progress WHERE job=?");
  if (!row.bind(job.value).step()) return failure("read");
  if (row.number(1) == 0) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(row.number(0));
}

}  // namespace ringmaster::jobs

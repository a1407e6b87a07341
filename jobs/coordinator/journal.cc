// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "jobs/coordinator/statement.h"
#include "jobs/wire/convert.h"
#include "jobs/wire/snapshot.h"
#include "storage/layout/crc32c.h"

namespace ringmaster::jobs {

namespace {

constexpr std::int64_t kVersion = 2;
/// A reader of ours holds the file for microseconds; a foreign one must not stop the coordinator.
constexpr int kBusyMs = 2000;

constexpr const char* kTables = R"(
  CREATE TABLE IF NOT EXISTS events (number INTEGER PRIMARY KEY AUTOINCREMENT,
    time_ns INTEGER NOT NULL, event BLOB NOT NULL, checksum INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS snapshot (one INTEGER PRIMARY KEY CHECK (one = 1),
    event INTEGER NOT NULL, state BLOB NOT NULL, checksum INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS jobs (job INTEGER PRIMARY KEY, name BLOB NOT NULL,
    file BLOB NOT NULL, spec BLOB NOT NULL, launch BLOB NOT NULL, submitted REAL NOT NULL,
    record BLOB, ended REAL, steps INTEGER, durable INTEGER);
  CREATE INDEX IF NOT EXISTS ended_jobs ON jobs (job) WHERE record IS NOT NULL;
  CREATE INDEX IF NOT EXISTS living_jobs ON jobs (job) WHERE record IS NULL;
  CREATE TABLE IF NOT EXISTS story (job INTEGER, line INTEGER, wall REAL NOT NULL,
    decision INTEGER NOT NULL, name BLOB NOT NULL, text BLOB NOT NULL,
    PRIMARY KEY (job, line)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sources (host INTEGER PRIMARY KEY, number INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS progress (job INTEGER, rank INTEGER, steps INTEGER NOT NULL,
    wall REAL NOT NULL, PRIMARY KEY (job, rank));
)";

}  // namespace

std::uint32_t checksum_of(std::int64_t number, std::int64_t time_ns, std::string_view bytes) {
  return storage::crc32c(bytes, storage::crc32c(fmt::format("{} {} ", number, time_ns)));
}

Result<std::unique_ptr<Journal>> Journal::open(const std::string& path, Mode mode) {
  std::error_code ignored;
  if (mode == Mode::read && !std::filesystem::exists(path, ignored)) {
    return Error{Errc::not_found, fmt::format("{}: no coordinator has run here yet", path)};
  }
  sqlite3* database = nullptr;
  // A reader of a WAL file writes its shared index, so it opens for writing as well.
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::write ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  std::unique_ptr<Journal> journal(new Journal(database, path));
  if (code != SQLITE_OK) return journal->failure("open");
  sqlite3_busy_timeout(database, kBusyMs);
  auto prepared = journal->prepare_file();
  if (!prepared) return prepared.error();
  return journal;
}

Journal::Journal(sqlite3* database, std::string path)
    : database_(database), path_(std::move(path)) {}

Journal::~Journal() {
  sqlite3_close(database_);
}

Error Journal::failure(const std::string& what) const {
  const int code = sqlite3_errcode(database_);
  const int cause = sqlite3_system_errno(database_);
  std::string text = fmt::format("{}: {}", what, sqlite3_errmsg(database_));
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) return damage(text);
  Errc kind = Errc::io;
  if (code == SQLITE_PERM || code == SQLITE_READONLY || code == SQLITE_CANTOPEN) {
    kind = Errc::denied;
  }
  if (code == SQLITE_IOERR && cause != 0) text += fmt::format(": {}", std::strerror(cause));
  if (code == SQLITE_FULL || (code == SQLITE_IOERR && cause == ENOSPC)) {
    kind = Errc::exhausted;
    text += "; make room, jobs go on meanwhile";
  }
  return {kind, fmt::format("{}: {}", path_, text)};
}

Error Journal::damage(const std::string& what) const {
  return {Errc::corrupt, fmt::format("{}: {}; the file is damaged: put a copy back, or use another "
                                     "state directory",
                                     path_, what)};
}

Result<void> Journal::run(const char* sql) const {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure("write");
}

Result<void> Journal::prepare_file() {
  std::int64_t version = 0, tables = 0;
  {
    Statement statement(database_, "PRAGMA user_version");
    if (!statement.step()) return failure("read");
    version = statement.number(0);
    Statement count(database_, "SELECT count(*) FROM sqlite_master");
    if (!count.step()) return failure("read");
    tables = count.number(0);
  }
  if (version == kVersion) return {};
  if (version > kVersion || tables > 0) {
    return Error{
        Errc::invalid,
        fmt::format("{}: written by {} ringmaster (format {}, this one knows {}): "
                    "use that one, or another state directory",
                    path_, version > kVersion ? "a newer" : "an older", version, kVersion)};
  }
  if (auto set = run("PRAGMA journal_mode=WAL"); !set) return set;
  // As one: a file that was half made must not be taken for one of an older version. A reader may
  // be making the tables in the same moment.
  return run(
      fmt::format("BEGIN IMMEDIATE;{} PRAGMA user_version={}; COMMIT", kTables, kVersion).c_str());
}

Result<void> Journal::as_one(bool durable, const std::function<Result<void>()>& write) {
  const char* sync = durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL";
  if (auto set = run(sync); !set) return set;
  if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  auto written = write();
  if (written) written = run("COMMIT");
  // Where SQLite has rolled back by itself (a full disk) this fails, and there is nothing to do.
  if (!written) static_cast<void>(run("ROLLBACK"));
  return written;
}

Result<void> Journal::finish(Statement& statement) const {
  return statement.run() ? Result<void>() : failure("write");
}

Result<void> Journal::write_event(const Decided& decided) {
  const auto number = newest_event();
  if (!number) return number.error();
  const std::int64_t time_ns = decided.time.time_since_epoch().count();
  const std::string bytes = to_wire(decided.event).SerializeAsString();
  Statement add(database_,
                "INSERT INTO events (number, time_ns, event, checksum) VALUES (?, ?, ?, ?)");
  add.bind(*number + 1).bind(time_ns).bind(bytes);
  return finish(add.bind(std::int64_t{checksum_of(*number + 1, time_ns, bytes)}));
}

Result<void> Journal::write_story(const std::vector<StoryLine>& story) {
  // A line of a job that is not known any more has no story to stand in.
  Statement tell(database_,
                 "INSERT INTO story SELECT ?1, (SELECT coalesce(max(line), 0) + 1 FROM story WHERE "
                 "job=?1), ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM jobs WHERE job=?1)");
  for (const StoryLine& line : story) {
    tell.rewind().bind(line.job.value).bind(line.wall).bind(std::int64_t{line.decision});
    if (auto told = finish(tell.bind(line.name).bind(line.text)); !told) return told;
  }
  return {};
}

Result<void> Journal::write_end(const EndedJob& ended, double wall) {
  const std::int64_t job = ended.end.job.value;
  Statement update(database_,
                   "UPDATE jobs SET record=?2, ended=?3, steps=max(?4, coalesce((SELECT max(steps) "
                   "FROM progress WHERE job=?1), 0)) WHERE job=?1 AND record IS NULL");
  update.bind(job).bind(record_of(ended.job)).bind(wall).bind(ended.steps);
  if (auto updated = finish(update); !updated) return updated;
  Statement remove(database_, "DELETE FROM progress WHERE job=?");
  return finish(remove.bind(job));
}

Result<void> Journal::write_source(const Source& source) {
  Statement note(database_, "INSERT OR REPLACE INTO sources (host, number) VALUES (?, ?)");
  return finish(note.bind(source.host.value).bind(source.number));
}

Result<void> Journal::write_decided(const Decided& decided) {
  auto written = write_event(decided);
  if (written) written = write_story(decided.story);
  for (const EndedJob& ended : decided.ended) {
    if (written) written = write_end(ended, decided.wall);
  }
  if (written && decided.source) written = write_source(*decided.source);
  return written;
}

Result<void> Journal::append(const Decided& decided) {
  return as_one(decided.promises, [&] { return write_decided(decided); });
}

Result<void> Journal::append_job(const JobEntry& job, const Decided& decided) {
  return as_one(true, [&] {
    Statement add(database_,
                  "INSERT INTO jobs (job, name, file, spec, launch, submitted) VALUES "
                  "(?,?,?,?,?,?)");
    add.bind(job.job.value).bind(job.name).bind(job.file).bind(job.spec);
    auto added = finish(add.bind(job.launch.SerializeAsString()).bind(job.submitted));
    return added ? write_decided(decided) : added;
  });
}

Result<void> Journal::note_source(const Source& source) {
  return as_one(false, [&] { return write_source(source); });
}

Result<void> Journal::forget_host(HostId host) {
  Statement remove(database_, "DELETE FROM sources WHERE host=?");
  return finish(remove.bind(host.value));
}

Result<void> Journal::note_durable(JobId job, std::int64_t steps) {
  Statement note(database_, "UPDATE jobs SET durable=max(coalesce(durable, -1), ?) WHERE job=?");
  return finish(note.bind(steps).bind(job.value));
}

Result<void> Journal::write_progress(const std::vector<wire::Progress>& progress, double wall) {
  return as_one(false, [&]() -> Result<void> {
    Statement note(database_,
                   "INSERT OR REPLACE INTO progress (job, rank, steps, wall) VALUES (?,?,?,?)");
    for (const auto& at : progress) {
      note.rewind().bind(at.job()).bind(at.rank()).bind(at.steps());
      if (auto noted = finish(note.bind(wall)); !noted) return noted;
    }
    return {};
  });
}

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/journal.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/check.h"
#include "jobs/coordinator/statement.h"
#include "jobs/wire/convert.h"

namespace ringmaster::jobs {

namespace {

constexpr std::int64_t kVersion = 1;
/// A reader of ours holds the file for microseconds; a foreign one must not stop the coordinator.
constexpr int kBusyMs = 2000;

constexpr const char* kTables = R"(
  CREATE TABLE IF NOT EXISTS events (number INTEGER PRIMARY KEY AUTOINCREMENT,
    time_ns INTEGER NOT NULL, wall REAL NOT NULL, event BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS jobs (job INTEGER PRIMARY KEY, name BLOB NOT NULL,
    file BLOB NOT NULL, spec BLOB NOT NULL, launch BLOB NOT NULL, submitted REAL NOT NULL,
    state BLOB, exit_code INTEGER, reason BLOB, ended REAL);
  CREATE TABLE IF NOT EXISTS sources (host INTEGER PRIMARY KEY, number INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS progress (job INTEGER, rank INTEGER, steps INTEGER NOT NULL,
    wall REAL NOT NULL, PRIMARY KEY (job, rank));
)";

}  // namespace

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
  Errc kind = Errc::io;
  if (code == SQLITE_FULL) kind = Errc::exhausted;
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) kind = Errc::corrupt;
  if (code == SQLITE_PERM || code == SQLITE_READONLY || code == SQLITE_CANTOPEN) {
    kind = Errc::denied;
  }
  return {kind, fmt::format("{}: {}: {}", path_, what, sqlite3_errmsg(database_))};
}

Result<void> Journal::run(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure("write");
}

Result<void> Journal::prepare_file() {
  std::int64_t version = 0;
  {
    Statement statement(database_, "PRAGMA user_version");
    if (!statement.step()) return failure("read");
    version = statement.number(0);
  }
  if (version > kVersion) {
    return Error{Errc::invalid,
                 fmt::format("{}: written by a newer ringmaster (format {}, this one knows {}): "
                             "use that one, or another state directory",
                             path_, version, kVersion)};
  }
  if (version == kVersion) return {};
  if (auto set = run("PRAGMA journal_mode=WAL"); !set) return set;
  if (auto made = run(kTables); !made) return made;
  return run(fmt::format("PRAGMA user_version={}", kVersion).c_str());
}

Result<void> Journal::append(const Event& event, Time time, double wall,
                             std::optional<Source> source, Durability durability) {
  if (auto set = run(durability == Durability::disk ? "PRAGMA synchronous=FULL"
                                                    : "PRAGMA synchronous=NORMAL");
      !set) {
    return set;
  }
  if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  Statement add(database_, "INSERT INTO events (time_ns, wall, event) VALUES (?, ?, ?)");
  add.bind(static_cast<std::int64_t>(time.time_since_epoch().count())).bind(wall);
  bool good = add.bind(to_wire(event).SerializeAsString()).run();
  if (good && source) {
    Statement note(database_, "INSERT OR REPLACE INTO sources (host, number) VALUES (?, ?)");
    good = note.bind(source->host.value).bind(source->number).run();
  }
  if (good) return run("COMMIT");
  const Error error = failure("write");
  static_cast<void>(run("ROLLBACK"));
  return error;
}

Result<void> Journal::append_job(const JobEntry& job, const JobSpec& spec, Time time) {
  if (auto set = run("PRAGMA synchronous=FULL"); !set) return set;
  if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  Statement add(database_,
                "INSERT INTO jobs (job, name, file, spec, launch, submitted) VALUES (?,?,?,?,?,?)");
  add.bind(job.job.value).bind(job.name).bind(job.file).bind(job.spec);
  bool good = add.bind(job.launch.SerializeAsString()).bind(job.submitted).run();
  if (good) {
    Statement event(database_, "INSERT INTO events (time_ns, wall, event) VALUES (?, ?, ?)");
    event.bind(static_cast<std::int64_t>(time.time_since_epoch().count())).bind(job.submitted);
    good = event.bind(to_wire(JobSubmitted{job.job, spec}).SerializeAsString()).run();
  }
  if (good) return run("COMMIT");
  const Error error = failure("write");
  static_cast<void>(run("ROLLBACK"));
  return error;
}

Result<void> Journal::end_job(JobId job, const std::string& state, int exit_code,
                              const std::string& reason, double wall) {
  Statement update(database_,
                   "UPDATE jobs SET state=?, exit_code=?, reason=?, ended=? "
                   "WHERE job=? AND state IS NULL");
  update.bind(state).bind(static_cast<std::int64_t>(exit_code)).bind(reason).bind(wall);
  if (!update.bind(job.value).run()) return failure("write");
  return {};
}

Result<void> Journal::forget_host(HostId host) {
  Statement remove(database_, "DELETE FROM sources WHERE host=?");
  if (!remove.bind(host.value).run()) return failure("write");
  return {};
}

Result<void> Journal::read_events(std::int64_t after,
                                  const std::function<void(const JournalEvent&)>& take) const {
  Statement rows(database_,
                 "SELECT number, time_ns, wall, event FROM events WHERE number>? ORDER BY number");
  rows.bind(after);
  std::int64_t last = after;
  while (rows.step()) {
    // Numbers are given one by one and rows never go: a gap or a step back is damage.
    if (rows.number(0) != ++last) {
      return Error{Errc::corrupt, fmt::format("{}: event {} is not there", path_, last)};
    }
    wire::Event message;
    const std::string bytes = rows.bytes(3);
    auto event = message.ParseFromString(bytes) ? from_wire(message)
                                                : Error{Errc::corrupt, "it is no message"};
    if (!event) {
      return Error{Errc::corrupt,
                   fmt::format("{}: event {}: {}", path_, rows.number(0), event.error().message)};
    }
    take({rows.number(0), Time(std::chrono::nanoseconds(rows.number(1))), rows.real(2),
          std::move(*event)});
  }
  if (!rows.ok()) return failure("read");
  return {};
}

Result<std::vector<JobEntry>> Journal::read_jobs() const {
  Statement rows(database_,
                 "SELECT job, name, file, spec, launch, submitted, state, exit_code, reason, ended "
                 "FROM jobs ORDER BY job");
  std::vector<JobEntry> jobs;
  while (rows.step()) {
    JobEntry entry;
    entry.job = JobId{rows.number(0)};
    entry.name = rows.bytes(1);
    entry.file = rows.bytes(2);
    entry.spec = rows.bytes(3);
    if (!entry.launch.ParseFromString(rows.bytes(4))) {
      return Error{Errc::corrupt,
                   fmt::format("{}: job {}: its launch is no message", path_, entry.job.value)};
    }
    entry.submitted = rows.real(5);
    entry.state = rows.bytes(6);
    entry.exit_code = static_cast<int>(rows.number(7));
    entry.reason = rows.bytes(8);
    entry.ended = rows.real(9);
    jobs.push_back(std::move(entry));
  }
  if (!rows.ok()) return failure("read");
  return jobs;
}

Result<std::vector<Source>> Journal::read_sources() const {
  Statement rows(database_, "SELECT host, number FROM sources");
  std::vector<Source> sources;
  while (rows.step()) sources.push_back({HostId{rows.number(0)}, rows.number(1)});
  if (!rows.ok()) return failure("read");
  return sources;
}

Result<void> Journal::write_progress(const std::vector<wire::Progress>& progress, double wall) {
  if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  for (const auto& at : progress) {
    Statement note(database_,
                   "INSERT OR REPLACE INTO progress (job, rank, steps, wall) VALUES (?,?,?,?)");
    if (!note.bind(at.job()).bind(at.rank()).bind(at.steps()).bind(wall).run()) {
      const Error error = failure("write");
      static_cast<void>(run("ROLLBACK"));
      return error;
    }
  }
  return run("COMMIT");
}

Result<std::optional<std::int64_t>> Journal::read_progress(JobId job) const {
  Statement row(database_, "SELECT max(steps), count(*) FROM progress WHERE job=?");
  if (!row.bind(job.value).step()) return failure("read");
  if (row.number(1) == 0) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(row.number(0));
}

}  // namespace ringmaster::jobs

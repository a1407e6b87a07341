// SPDX-License-Identifier: Apache-2.0
//
// What the coordinator has decided on, on disk: every event that its core has taken in, in order,
// each written down before its actions are performed. A new core that takes the same events in is
// in the same state.
//
// So that neither the file nor a restart grows with all that ever happened, a snapshot of the
// core's state takes the place of the events before it (compact). What people ask about jobs is
// kept beside, in words: a line for each event and decision, and of an ended job its last state.
// These are bounded too: lines of a job by kStoryMax, ended jobs by who calls forget_job().
//
// A SQLite file in WAL mode: one writer, and readers (`ringmaster status`) that need no
// coordinator. A commit survives the death of the process; a promise survives that of the machine
// as well, which costs a few milliseconds: a job that was accepted, a host that is about to be
// made. Events and snapshots carry a checksum: SQLite has none, and a damaged event must not be
// taken for another one.
//
// Thread rules: one thread. Not here: what is done with events (coordinator.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/coordinator/decide.h"
#include "jobs/wire/messages.pb.h"

struct sqlite3;

namespace ringmaster::jobs {

class Statement;

/// Events between two snapshots at least: they are replayed in milliseconds.
inline constexpr std::int64_t kEventsBetweenSnapshots = 1000;

/// What was submitted, as it was, and how it ended.
struct JobEntry {
  JobId job;
  std::string name;
  std::string file;      // the spec's name, for messages
  std::string spec;      // its text
  wire::Launch launch;   // how its ranks are started
  double submitted = 0;  // seconds since 1970
  // Only once it has ended.
  std::optional<Job> record = {};  // its last state
  double ended = 0;
  std::int64_t steps = 0;     // finished by any rank
  std::int64_t durable = -1;  // of the newest checkpoint, which may have been written after the end
};

class Journal {
 public:
  enum class Mode { write, read };
  /// Lines of a job's story that are kept, the newest: a day of one that heals every minute.
  static constexpr std::int64_t kStoryMax = 10'000;

  /// Makes the file when it is not there (Mode::write). A file of another version, or one that is
  /// no journal, is an error that says so.
  static Result<std::unique_ptr<Journal>> open(const std::string& path, Mode mode);
  ~Journal();

  // What the coordinator writes (journal.cc).
  Result<void> append(const Decided& decided);
  /// The submission and its event, as one.
  Result<void> append_job(const JobEntry& job, const Decided& decided);
  /// An event of an agent that changes nothing, and is not to be said again.
  Result<void> note_source(const Source& source);
  /// Drops the acknowledgements of a host that is gone for good.
  Result<void> forget_host(HostId host);
  /// A checkpoint that was committed after its job had ended.
  Result<void> note_durable(JobId job, std::int64_t steps);
  /// Steps that ranks have finished, for people: no event, written now and then.
  Result<void> write_progress(const std::vector<wire::Progress>& progress, double wall);

  // What keeps it small (journal_compact.cc).
  /// Puts the core's state in the place of all events, and drops the oldest lines of long stories.
  Result<void> compact(const Core& core);
  /// The oldest ended jobs beyond the newest `keep`, at most `most` of them.
  Result<std::vector<JobId>> surplus_jobs(std::int64_t keep, std::int64_t most) const;
  /// All that is known of an ended job.
  Result<void> forget_job(JobId job);

  // Reading (journal_read.cc).
  /// Brings a core that has taken in the events up to `last` up to date: from the snapshot when
  /// that is newer, then event by event. `last` is the newest one then. What cannot be read is
  /// Errc::corrupt.
  Result<void> catch_up(Core& core, std::int64_t& last) const;
  /// Events that no snapshot stands for.
  Result<std::int64_t> count_events() const;
  Result<std::vector<JobEntry>> read_jobs() const;
  /// Those that have not ended.
  Result<std::vector<JobEntry>> read_living_jobs() const;
  Result<std::optional<JobEntry>> read_job(JobId job) const;
  /// In order, lines after the `after`-th of the job; gives the newest line's number. The first one
  /// there is tells how many were dropped.
  Result<std::int64_t> read_story(
      JobId job, std::int64_t after,
      const std::function<void(std::int64_t, const StoryLine&)>& take) const;
  /// The last number taken from each host.
  Result<std::vector<Source>> read_sources() const;
  /// The most steps of any rank of the job; nothing when none was heard of.
  Result<std::optional<std::int64_t>> read_progress(JobId job) const;

 private:
  explicit Journal(sqlite3* database, std::string path);
  Result<void> prepare_file();
  Result<void> run(const char* sql) const;
  /// All of it or nothing. With `durable` it survives the machine.
  Result<void> as_one(bool durable, const std::function<Result<void>()>& write);
  /// To its end; looked at while the statement is there, for its end takes the error with it.
  Result<void> finish(Statement& statement) const;
  Result<void> write_decided(const Decided& decided);
  Result<void> write_event(const Decided& decided);
  Result<void> write_story(const std::vector<StoryLine>& story);
  Result<void> write_end(const EndedJob& ended, double wall);
  Result<void> write_source(const Source& source);
  /// Its number; those before a snapshot count on.
  Result<std::int64_t> newest_event() const;
  Result<std::vector<JobEntry>> read_entries(Statement& rows) const;
  Result<void> read_snapshot(Core& core, std::int64_t& last) const;
  Result<void> read_events(Core& core, std::int64_t& last) const;
  Error failure(const std::string& what) const;
  Error damage(const std::string& what) const;

  sqlite3* database_;
  std::string path_;
};

/// What the checksum of an event or a snapshot is made of.
std::uint32_t checksum_of(std::int64_t number, std::int64_t time_ns, std::string_view bytes);

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
//
// What the coordinator has decided on, on disk: every event that its core has taken in, in order,
// each written down before its actions are performed. A new core that takes the same events in is
// in the same state, so nothing else of that state is ever stored.
//
// A SQLite file in WAL mode: one writer, and readers (`ringmaster status`) that need no
// coordinator. A commit survives the death of the process; with Durability::disk it survives that
// of the machine as well, which costs a few milliseconds and is kept for promises: a job that was
// accepted, a host that is about to be made.
//
// Thread rules: one thread. Not here: what is done with events (coordinator.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/core/event.h"
#include "jobs/wire/messages.pb.h"

struct sqlite3;

namespace ringmaster::jobs {

/// What was submitted, as it was, and how it ended.
struct JobEntry {
  JobId job;
  std::string name;
  std::string file;      // the spec's name, for messages
  std::string spec;      // its text
  wire::Launch launch;   // how its ranks are started
  double submitted = 0;  // seconds since 1970
  std::string state;     // a JobState's name once it has ended, else ""
  int exit_code = 0;
  std::string reason;
  double ended = 0;
};

struct JournalEvent {
  std::int64_t number = 0;
  Time time;        // of the coordinator's clock, which never goes back
  double wall = 0;  // seconds since 1970
  Event event;
};

/// An event of an agent's own count, which is never taken twice.
struct Source {
  HostId host;
  std::int64_t number = 0;
};

class Journal {
 public:
  enum class Durability { process, disk };
  enum class Mode { write, read };

  /// Makes the file when it is not there (Mode::write). A file of a newer version, or one that is
  /// no journal, is an error that says so.
  static Result<std::unique_ptr<Journal>> open(const std::string& path, Mode mode);
  ~Journal();

  Result<void> append(const Event& event, Time time, double wall, std::optional<Source> source,
                      Durability durability);
  /// The submission and its event, as one.
  Result<void> append_job(const JobEntry& job, const JobSpec& spec, Time time);
  Result<void> end_job(JobId job, const std::string& state, int exit_code,
                       const std::string& reason, double wall);
  /// Drops the acknowledgements of a host that is gone for good.
  Result<void> forget_host(HostId host);

  /// In order, those after `after`. One that cannot be read ends it with Errc::corrupt.
  Result<void> read_events(std::int64_t after,
                           const std::function<void(const JournalEvent&)>& take) const;
  Result<std::vector<JobEntry>> read_jobs() const;
  /// The last number taken from each host.
  Result<std::vector<Source>> read_sources() const;

  /// Steps that ranks have finished, for people: no event, written now and then.
  Result<void> write_progress(const std::vector<wire::Progress>& progress, double wall);
  /// The most steps of any rank of the job; nothing when none was heard of.
  Result<std::optional<std::int64_t>> read_progress(JobId job) const;

 private:
  explicit Journal(sqlite3* database, std::string path);
  Result<void> prepare_file();
  Result<void> run(const char* sql);
  Error failure(const std::string& what) const;

  sqlite3* database_;
  std::string path_;
};

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "jobs/wire/convert.h"
#include "jobs/wire/snapshot.h"
#include "jobs/wire/snapshot.pb.h"
#include "jobs/wire/times.h"

namespace ringmaster::jobs {

namespace {

/// Reads, and remembers whether a state had a number that no state has.
class Reader {
 public:
  Host host(const wire::SavedHost& in);
  Job job(const wire::SavedJob& in);
  bool good() const { return good_; }

 private:
  template <class State>
  State state(int number, int states) {
    if (number >= 0 && number < states) return static_cast<State>(number);
    good_ = false;
    return State{};
  }
  Outcome outcome(const wire::SavedOutcome& in);
  RankRecord rank(const wire::SavedRank& in);

  bool good_ = true;
};

Outcome Reader::outcome(const wire::SavedOutcome& in) {
  return {state<JobState>(in.state(), kJobStates), in.exit_code(), in.reason()};
}

RankRecord Reader::rank(const wire::SavedRank& in) {
  RankRecord rank;
  rank.id = from_wire(in.id());
  rank.state = state<RankState>(in.state(), kRankStates);
  rank.since = time_of(in.since_ns());
  rank.host = HostId{in.host()};
  rank.has_state = in.has_state();
  rank.finished = in.finished();
  rank.succeeded = in.succeeded();
  rank.moving = in.moving();
  rank.signal = in.signal();
  rank.starts = in.starts();
  rank.endpoint = in.endpoint();
  rank.synced = Generation{in.synced()};
  rank.steps = in.steps();
  rank.words = in.words();
  return rank;
}

GenerationTable table_of(const wire::SavedTable& in) {
  GenerationTable table;
  table.generation = Generation{in.generation()};
  for (const auto& member : in.members()) {
    table.members.push_back({from_wire(member.id()), HostId{member.host()}, member.endpoint()});
  }
  for (const std::int64_t rank : in.lost()) table.lost.push_back(Rank{rank});
  for (const std::int64_t rank : in.joined()) table.joined.push_back(Rank{rank});
  table.since = time_of(in.since_ns());
  table.reason = in.reason();
  table.term = Term{in.term()};
  if (in.has_restore()) table.restore = from_wire(in.restore());
  return table;
}

Save save_of(const wire::SavedSave& in) {
  Save save{in.steps(), {in.blocks().begin(), in.blocks().end()}, {}};
  for (const auto& shard : in.shards()) {
    save.shards.emplace_back();
    if (shard.has_shard()) save.shards.back() = from_wire(shard.shard());
  }
  return save;
}

Saves saves_of(const wire::SavedSaves& in) {
  Saves saves;
  saves.term = Term{in.term()};
  saves.opening = in.opening();
  saves.request = in.request();
  saves.durable = from_wire(in.durable());
  if (in.has_restore()) saves.restore = from_wire(in.restore());
  saves.since = Generation{in.since()};
  for (const auto& save : in.collecting()) {
    saves.collecting[{Generation{save.generation()}, save.steps()}] = save_of(save);
  }
  if (in.has_committing()) saves.committing = save_of(in.committing());
  saves.asked = in.asked();
  saves.failed_steps = in.failed_steps();
  return saves;
}

Job Reader::job(const wire::SavedJob& in) {
  Job job;
  job.id = JobId{in.job()};
  job.spec = from_wire(in.spec());
  job.state = state<JobState>(in.state(), kJobStates);
  job.reason = in.reason();
  for (const auto& one : in.ranks()) job.ranks.push_back(rank(one));
  job.last_incarnation = Incarnation{in.last_incarnation()};
  job.restarts_used = in.restarts_used();
  job.table = table_of(in.table());
  job.broken = in.broken();
  job.state_exists = in.state_exists();
  job.finishing = in.finishing();
  job.healed = in.healed();
  job.broken_since = time_of(in.broken_since_ns());
  job.broken_why = in.broken_why();
  if (in.has_failure()) job.failure = outcome(in.failure());
  job.said = in.said();
  job.said_steps = in.said_steps();
  if (in.has_outcome()) job.outcome = outcome(in.outcome());
  job.again = in.again();
  if (in.has_kill_at_ns()) job.kill_at = time_of(in.kill_at_ns());
  job.host_failures = in.host_failures();
  job.next_host = time_of(in.next_host_ns());
  if (in.has_host_due_ns()) job.host_due = time_of(in.host_due_ns());
  job.saves = saves_of(in.saves());
  job.meeting = {HostId{in.meeting().host()}, in.meeting().address(), in.meeting().port()};
  return job;
}

Host Reader::host(const wire::SavedHost& in) {
  Host host;
  host.id = HostId{in.host()};
  host.name = in.name();
  host.slots = in.slots();
  host.address = in.address();
  host.ports.assign(in.ports().begin(), in.ports().end());
  host.state = state<HostState>(in.state(), kHostStates);
  host.created = in.created();
  host.wanted_by = JobId{in.wanted_by()};
  host.since = time_of(in.since_ns());
  host.deadline = time_of(in.deadline_ns());
  host.reason = in.reason();
  return host;
}

}  // namespace

Result<Core> core_of(std::string_view bytes) {
  wire::Snapshot in;
  const bool read = in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (read && in.format() > kSnapshotFormat) {
    return Error{Errc::invalid,
                 fmt::format("the snapshot is of a newer ringmaster (format {}, this one knows "
                             "{}): use that one, or another state directory",
                             in.format(), kSnapshotFormat)};
  }
  Reader reader;
  State state;
  for (const auto& host : in.hosts()) state.hosts[HostId{host.host()}] = reader.host(host);
  state.last_host = HostId{in.last_host()};
  for (const auto& job : in.jobs()) state.jobs[JobId{job.job()}] = reader.job(job);
  state.last_job = JobId{in.last_job()};
  state.dropped_events = in.dropped_events();
  if (!read || in.format() < 1 || !reader.good()) {
    return Error{Errc::corrupt, "the snapshot is damaged"};
  }
  return Core(std::move(state), time_of(in.last_step_ns()));
}

Result<Job> job_of_record(std::string_view bytes) {
  wire::SavedJob in;
  Reader reader;
  const bool read = in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  Job job = reader.job(in);
  if (!read || !reader.good()) return Error{Errc::corrupt, "its record is damaged"};
  return job;
}

}  // namespace ringmaster::jobs

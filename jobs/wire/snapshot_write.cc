// SPDX-License-Identifier: Apache-2.0
#include "jobs/wire/convert.h"
#include "jobs/wire/snapshot.h"
#include "jobs/wire/snapshot.pb.h"
#include "jobs/wire/times.h"

namespace ringmaster::jobs {

namespace {

void write(const Outcome& outcome, wire::SavedOutcome& out) {
  const auto& [state, exit_code, reason] = outcome;
  out.set_state(static_cast<int>(state));
  out.set_exit_code(exit_code);
  out.set_reason(reason);
}

void write(const RankRecord& rank, wire::SavedRank& out) {
  const auto& [id, state, since, host, has_state, finished, succeeded, moving, signal, starts,
               endpoint, synced, steps, words] = rank;
  *out.mutable_id() = to_wire(id);
  out.set_state(static_cast<int>(state));
  out.set_since_ns(ns_of(since));
  out.set_host(host.value);
  out.set_has_state(has_state);
  out.set_finished(finished);
  out.set_succeeded(succeeded);
  out.set_moving(moving);
  out.set_signal(signal);
  out.set_starts(starts);
  out.set_endpoint(endpoint);
  out.set_synced(synced.value);
  out.set_steps(steps);
  out.set_words(words);
}

void write(const GenerationTable& table, wire::SavedTable& out) {
  const auto& [generation, members, lost, joined, since, reason, term, restore] = table;
  out.set_generation(generation.value);
  for (const auto& [id, host, endpoint] : members) {
    auto* member = out.add_members();
    *member->mutable_id() = to_wire(id);
    member->set_host(host.value);
    member->set_endpoint(endpoint);
  }
  for (const Rank& rank : lost) out.add_lost(rank.value);
  for (const Rank& rank : joined) out.add_joined(rank.value);
  out.set_since_ns(ns_of(since));
  out.set_reason(reason);
  out.set_term(term.value);
  if (restore) *out.mutable_restore() = to_wire(*restore);
}

void write(const Save& save, wire::SavedSave& out) {
  const auto& [steps, blocks, shards] = save;
  out.set_steps(steps);
  for (const std::int64_t block : blocks) out.add_blocks(block);
  for (const auto& shard : shards) {
    auto* to = out.add_shards();
    if (shard) *to->mutable_shard() = to_wire(*shard);
  }
}

void write(const Saves& saves, wire::SavedSaves& out) {
  const auto& [term, opening, request, durable, restore, since, collecting, committing, asked,
               failed_steps] = saves;
  out.set_term(term.value);
  out.set_opening(opening);
  out.set_request(request);
  *out.mutable_durable() = to_wire(durable);
  if (restore) *out.mutable_restore() = to_wire(*restore);
  out.set_since(since.value);
  for (const auto& [at, save] : collecting) {
    auto* to = out.add_collecting();
    write(save, *to);
    to->set_generation(at.first.value);
  }
  if (committing) write(*committing, *out.mutable_committing());
  out.set_asked(asked);
  out.set_failed_steps(failed_steps);
}

void write(const Meeting& meeting, wire::SavedMeeting& out) {
  const auto& [host, address, port] = meeting;
  out.set_host(host.value);
  out.set_address(address);
  out.set_port(port);
}

void write(const Job& job, wire::SavedJob& out) {
  const auto& [id, spec, state, reason, ranks, last_incarnation, restarts_used, table, broken,
               state_exists, finishing, healed, broken_since, broken_why, failure, said, said_steps,
               outcome, again, kill_at, host_failures, next_host, host_due, saves, meeting] = job;
  out.set_job(id.value);
  *out.mutable_spec() = to_wire(spec);
  out.set_state(static_cast<int>(state));
  out.set_reason(reason);
  for (const RankRecord& rank : ranks) write(rank, *out.add_ranks());
  out.set_last_incarnation(last_incarnation.value);
  out.set_restarts_used(restarts_used);
  write(table, *out.mutable_table());
  out.set_broken(broken);
  out.set_state_exists(state_exists);
  out.set_finishing(finishing);
  out.set_healed(healed);
  out.set_broken_since_ns(ns_of(broken_since));
  out.set_broken_why(broken_why);
  if (failure) write(*failure, *out.mutable_failure());
  out.set_said(said);
  out.set_said_steps(said_steps);
  if (outcome) write(*outcome, *out.mutable_outcome());
  out.set_again(again);
  if (kill_at) out.set_kill_at_ns(ns_of(*kill_at));
  out.set_host_failures(host_failures);
  out.set_next_host_ns(ns_of(next_host));
  if (host_due) out.set_host_due_ns(ns_of(*host_due));
  write(saves, *out.mutable_saves());
  write(meeting, *out.mutable_meeting());
}

void write(const Host& host, wire::SavedHost& out) {
  const auto& [id, name, slots, address, ports, state, created, wanted_by, since, deadline,
               reason] = host;
  out.set_host(id.value);
  out.set_name(name);
  out.set_slots(slots);
  out.set_address(address);
  for (const int port : ports) out.add_ports(port);
  out.set_state(static_cast<int>(state));
  out.set_created(created);
  out.set_wanted_by(wanted_by.value);
  out.set_since_ns(ns_of(since));
  out.set_deadline_ns(ns_of(deadline));
  out.set_reason(reason);
}

}  // namespace

std::string snapshot_of(const Core& core) {
  const auto& [hosts, last_host, jobs, last_job, dropped_events] = core.state();
  wire::Snapshot out;
  out.set_format(kSnapshotFormat);
  out.set_last_step_ns(ns_of(core.last_step()));
  for (const auto& [id, host] : hosts) write(host, *out.add_hosts());
  out.set_last_host(last_host.value);
  for (const auto& [id, job] : jobs) write(job, *out.add_jobs());
  out.set_last_job(last_job.value);
  out.set_dropped_events(dropped_events);
  return out.SerializeAsString();
}

std::string record_of(const Job& job) {
  wire::SavedJob out;
  write(job, out);
  return out.SerializeAsString();
}

}  // namespace ringmaster::jobs

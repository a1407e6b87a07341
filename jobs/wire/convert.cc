// SPDX-License-Identifier: Apache-2.0
#include "jobs/wire/convert.h"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/wire/times.h"

namespace ringmaster::jobs {

wire::JobSpec to_wire(const JobSpec& spec) {
  wire::JobSpec out;
  out.set_name(spec.name);
  out.set_ranks_min(spec.ranks_min);
  out.set_ranks_max(spec.ranks_max);
  out.set_restarts(spec.restarts);
  out.set_whole(spec.whole);
  out.set_grace_ns(spec.grace.count());
  out.set_leave_timeout_ns(spec.leave_timeout.count());
  out.set_start_timeout_ns(spec.start_timeout.count());
  out.set_hosts_max(spec.hosts_max);
  out.set_host_slots(spec.host_slots);
  out.set_save_every(spec.save_every);
  out.set_save_period_ns(spec.save_period.count());
  return out;
}

JobSpec from_wire(const wire::JobSpec& in) {
  JobSpec spec;
  spec.name = in.name();
  spec.ranks_min = in.ranks_min();
  spec.ranks_max = in.ranks_max();
  spec.restarts = in.restarts();
  spec.whole = in.whole();
  spec.grace = Duration(in.grace_ns());
  spec.leave_timeout = Duration(in.leave_timeout_ns());
  spec.start_timeout = Duration(in.start_timeout_ns());
  spec.hosts_max = in.hosts_max();
  spec.host_slots = in.host_slots();
  spec.save_every = in.save_every();
  spec.save_period = Duration(in.save_period_ns());
  return spec;
}

wire::StoredShard to_wire(const StoredShard& shard) {
  wire::StoredShard out;
  out.set_key(shard.key);
  out.set_bytes_total(shard.bytes);
  out.set_crc(shard.crc);
  for (const ShardChunk& chunk : shard.chunks) {
    auto* to = out.add_chunks();
    to->set_block(chunk.block);
    to->set_offset(chunk.offset);
    to->set_bytes(chunk.bytes);
    to->set_begin(chunk.begin);
  }
  return out;
}

StoredShard from_wire(const wire::StoredShard& in) {
  StoredShard shard{in.key(), in.bytes_total(), in.crc(), {}};
  for (const auto& from : in.chunks()) {
    shard.chunks.push_back({from.block(), from.offset(), from.bytes(), from.begin()});
  }
  return shard;
}

wire::CheckpointAt to_wire(const CheckpointAt& at) {
  wire::CheckpointAt out;
  out.set_term(at.term.value);
  out.set_steps(at.steps);
  return out;
}

CheckpointAt from_wire(const wire::CheckpointAt& in) {
  return {Term{in.term()}, in.steps()};
}

namespace {

HostJoined host_joined_of(const wire::Event::HostJoined& in) {
  return {HostId{in.host()},
          in.name(),
          in.slots(),
          in.address(),
          {in.ports().begin(), in.ports().end()}};
}

JobSpec spec_of(const wire::Event& in) {
  return jobs::from_wire(in.job_submitted().spec());
}

ShardWritten shard_written_of(const wire::Event::ShardWritten& in) {
  return {jobs::from_wire(in.id()),
          Generation{in.generation()},
          in.steps(),
          in.position(),
          in.members(),
          {in.blocks().begin(), in.blocks().end()},
          jobs::from_wire(in.shard())};
}

struct ToWire {
  wire::Event out = {};

  void operator()(const HostJoined& event) {
    auto* to = out.mutable_host_joined();
    to->set_host(event.host.value);
    to->set_name(event.name);
    to->set_slots(event.slots);
    to->set_address(event.address);
    for (const int port : event.ports) to->add_ports(port);
  }
  void operator()(const HostCreateFailed& event) {
    out.mutable_host_create_failed()->set_host(event.host.value);
    out.mutable_host_create_failed()->set_why(event.why);
  }
  void operator()(const HostNotice& event) {
    auto* to = out.mutable_host_notice();
    to->set_host(event.host.value);
    to->set_deadline_ns(ns_of(event.deadline));
    to->set_why(event.why);
  }
  void operator()(const HostLost& event) {
    out.mutable_host_lost()->set_host(event.host.value);
    out.mutable_host_lost()->set_why(event.why);
  }
  void operator()(const HostReleased& event) {
    out.mutable_host_released()->set_host(event.host.value);
  }
  void operator()(const JobSubmitted& event) {
    out.mutable_job_submitted()->set_job(event.job.value);
    *out.mutable_job_submitted()->mutable_spec() = to_wire(event.spec);
  }
  void operator()(const StopRequested& event) {
    auto* to = out.mutable_stop_requested();
    to->set_job(event.job.value);
    to->set_why(event.why);
    to->set_signal(event.signal);
    to->set_exit_code(event.exit_code);
    to->set_now(event.now);
  }
  void operator()(const RankStarted& event) {
    *out.mutable_rank_started()->mutable_id() = jobs::to_wire(event.id);
    out.mutable_rank_started()->set_endpoint(event.endpoint);
  }
  void operator()(const RankStartFailed& event) {
    auto* to = out.mutable_rank_start_failed();
    *to->mutable_id() = jobs::to_wire(event.id);
    to->set_exit_code(event.exit_code);
    to->set_why(event.why);
  }
  void operator()(const RankReady& event) {
    auto* to = out.mutable_rank_ready();
    *to->mutable_id() = jobs::to_wire(event.id);
    to->set_steps(event.steps);
    to->set_left(event.left.value);
  }
  void operator()(const RankSynced& event) {
    auto* to = out.mutable_rank_synced();
    *to->mutable_id() = jobs::to_wire(event.id);
    to->set_generation(event.generation.value);
    to->set_steps(event.steps);
    to->set_source(event.source.value);
  }
  void operator()(const RankFinished& event) {
    *out.mutable_rank_finished()->mutable_id() = jobs::to_wire(event.id);
    out.mutable_rank_finished()->set_generation(event.generation.value);
  }
  void operator()(const RankFailed& event) {
    *out.mutable_rank_failed()->mutable_id() = jobs::to_wire(event.id);
    out.mutable_rank_failed()->set_message(event.message);
  }
  void operator()(const RankExited& event) {
    auto* to = out.mutable_rank_exited();
    *to->mutable_id() = jobs::to_wire(event.id);
    to->set_code(event.status.code);
    to->set_signal(event.status.signal);
    to->set_steps(event.steps);
    to->set_why(event.why);
  }
  void operator()(const TimerExpired&) { out.mutable_timer_expired(); }
  void operator()(const ShardWritten& event) {
    auto* to = out.mutable_shard_written();
    *to->mutable_id() = jobs::to_wire(event.id);
    to->set_generation(event.generation.value);
    to->set_steps(event.steps);
    to->set_position(event.position);
    to->set_members(event.members);
    for (const std::int64_t bytes : event.blocks) to->add_blocks(bytes);
    *to->mutable_shard() = to_wire(event.shard);
  }
  void operator()(const ShardFailed& event) {
    auto* to = out.mutable_shard_failed();
    *to->mutable_id() = jobs::to_wire(event.id);
    to->set_steps(event.steps);
    to->set_why(event.why);
  }
  void operator()(const TermOpened& event) {
    auto* to = out.mutable_term_opened();
    to->set_job(event.job.value);
    to->set_term(event.term.value);
    *to->mutable_newest() = to_wire(event.newest);
    to->set_passed_over(event.passed_over);
    to->set_request(event.request);
  }
  void operator()(const TermFailed& event) {
    out.mutable_term_failed()->set_job(event.job.value);
    out.mutable_term_failed()->set_why(event.why);
    out.mutable_term_failed()->set_request(event.request);
  }
  void operator()(const CheckpointCommitted& event) {
    auto* to = out.mutable_checkpoint_committed();
    to->set_job(event.job.value);
    to->set_term(event.term.value);
    to->set_steps(event.steps);
  }
  void operator()(const CheckpointFailed& event) {
    auto* to = out.mutable_checkpoint_failed();
    to->set_job(event.job.value);
    to->set_steps(event.steps);
    to->set_why(event.why);
  }
};

/// The event of a message whose numbers were not looked at yet.
std::optional<Event> read(const wire::Event& in) {
  const auto id = [](const wire::RankId& from) { return jobs::from_wire(from); };
  switch (in.kind_case()) {
    case wire::Event::kHostJoined:
      return host_joined_of(in.host_joined());
    case wire::Event::kHostCreateFailed:
      return HostCreateFailed{HostId{in.host_create_failed().host()},
                              in.host_create_failed().why()};
    case wire::Event::kHostNotice:
      return HostNotice{HostId{in.host_notice().host()}, time_of(in.host_notice().deadline_ns()),
                        in.host_notice().why()};
    case wire::Event::kHostLost:
      return HostLost{HostId{in.host_lost().host()}, in.host_lost().why()};
    case wire::Event::kHostReleased:
      return HostReleased{HostId{in.host_released().host()}};
    case wire::Event::kJobSubmitted:
      return JobSubmitted{JobId{in.job_submitted().job()}, spec_of(in)};
    case wire::Event::kStopRequested: {
      const auto& from = in.stop_requested();
      return StopRequested{JobId{from.job()}, from.why(), from.signal(), from.exit_code(),
                           from.now()};
    }
    case wire::Event::kRankStarted:
      return RankStarted{id(in.rank_started().id()), in.rank_started().endpoint()};
    case wire::Event::kRankStartFailed:
      return RankStartFailed{id(in.rank_start_failed().id()), in.rank_start_failed().exit_code(),
                             in.rank_start_failed().why()};
    case wire::Event::kRankReady:
      return RankReady{id(in.rank_ready().id()), in.rank_ready().steps(),
                       Generation{in.rank_ready().left()}};
    case wire::Event::kRankSynced:
      return RankSynced{id(in.rank_synced().id()), Generation{in.rank_synced().generation()},
                        in.rank_synced().steps(), Rank{in.rank_synced().source()}};
    case wire::Event::kRankFinished:
      return RankFinished{id(in.rank_finished().id()), Generation{in.rank_finished().generation()}};
    case wire::Event::kRankFailed:
      return RankFailed{id(in.rank_failed().id()), in.rank_failed().message()};
    case wire::Event::kRankExited:
      return RankExited{id(in.rank_exited().id()),
                        {in.rank_exited().code(), in.rank_exited().signal()},
                        in.rank_exited().steps(),
                        in.rank_exited().why()};
    case wire::Event::kTimerExpired:
      return TimerExpired{};
    case wire::Event::kShardWritten:
      return shard_written_of(in.shard_written());
    case wire::Event::kShardFailed:
      return ShardFailed{id(in.shard_failed().id()), in.shard_failed().steps(),
                         in.shard_failed().why()};
    case wire::Event::kTermOpened: {
      const auto& from = in.term_opened();
      return TermOpened{JobId{from.job()}, from.request(), Term{from.term()},
                        jobs::from_wire(from.newest()), from.passed_over()};
    }
    case wire::Event::kTermFailed:
      return TermFailed{JobId{in.term_failed().job()}, in.term_failed().request(),
                        in.term_failed().why()};
    case wire::Event::kCheckpointCommitted: {
      const auto& from = in.checkpoint_committed();
      return CheckpointCommitted{JobId{from.job()}, Term{from.term()}, from.steps()};
    }
    case wire::Event::kCheckpointFailed: {
      const auto& from = in.checkpoint_failed();
      return CheckpointFailed{JobId{from.job()}, from.steps(), from.why()};
    }
    case wire::Event::KIND_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

/// What the core takes for granted.
const char* trouble_in(const Event& event) {
  if (const auto* joined = std::get_if<HostJoined>(&event)) {
    if (joined->slots < 1 || joined->host.value < 1) return "a host without slots";
    const bool ports = std::all_of(joined->ports.begin(), joined->ports.end(),
                                   [](int port) { return port > 0 && port <= 65535; });
    if (!ports) return "a port that cannot be";
  }
  if (const auto* submitted = std::get_if<JobSubmitted>(&event)) {
    const JobSpec& spec = submitted->spec;
    const bool right = spec.ranks_min >= 1 && spec.ranks_min <= spec.ranks_max &&
                       spec.restarts >= 0 && spec.hosts_max >= 0 && spec.host_slots >= 1 &&
                       (!spec.whole || spec.ranks_min == spec.ranks_max) && spec.save_every >= 0 &&
                       spec.save_period >= Duration::zero();
    if (!right) return "a job that cannot be";
  }
  if (const auto* ready = std::get_if<RankReady>(&event)) {
    if (ready->steps < kNoState) return "steps below none";
  }
  if (const auto* written = std::get_if<ShardWritten>(&event)) {
    if (written->steps < 1 || written->generation.value < 1) return "a save of nothing";
  }
  if (const auto* opened = std::get_if<TermOpened>(&event)) {
    if (opened->term.value < 1 || opened->newest.steps < kNoState) return "no term";
  }
  if (const auto* synced = std::get_if<RankSynced>(&event)) {
    if (synced->steps < 0) return "steps below none";
  }
  return nullptr;
}

}  // namespace

wire::RankId to_wire(const RankId& id) {
  wire::RankId out;
  out.set_job(id.job.value);
  out.set_rank(id.rank.value);
  out.set_incarnation(id.incarnation.value);
  return out;
}

RankId from_wire(const wire::RankId& id) {
  return {JobId{id.job()}, Rank{id.rank()}, Incarnation{id.incarnation()}};
}

wire::Event to_wire(const Event& event) {
  ToWire visitor;
  std::visit(visitor, event);
  return std::move(visitor.out);
}

Result<Event> from_wire(const wire::Event& event) {
  auto read_event = read(event);
  if (!read_event) return Error{Errc::corrupt, "an event of an unknown kind"};
  if (const char* trouble = trouble_in(*read_event); trouble != nullptr) {
    return Error{Errc::corrupt, fmt::format("{}: {}", event_name(*read_event), trouble)};
  }
  return std::move(*read_event);
}

}  // namespace ringmaster::jobs

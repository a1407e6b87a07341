// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/dump.h"

#include <fmt/format.h>

namespace ringmaster::jobs {

namespace {

std::int64_t ns(Time time) {
  return time.time_since_epoch().count();
}

std::string dump(const RankRecord& rank) {
  return fmt::format(
      "  rank {} process {} {} since {} on {} state {} finished {} succeeded {} moving {} "
      "signal {} starts {} at {} synced {} steps {} words {}\n",
      rank.id.rank.value, rank.id.incarnation.value, state_name(rank.state), ns(rank.since),
      rank.host.value, rank.has_state, rank.finished, rank.succeeded, rank.moving, rank.signal,
      rank.starts, rank.endpoint, rank.synced.value, rank.steps, rank.words);
}

std::string dump(const char* name, const std::optional<Outcome>& outcome) {
  if (!outcome) return "";
  return fmt::format("  {} {} {} {}\n", name, state_name(outcome->state), outcome->exit_code,
                     outcome->reason);
}

std::string dump(const GenerationTable& table) {
  std::string text = fmt::format("  generation {} since {} because {}:", table.generation.value,
                                 ns(table.since), table.reason);
  for (const Member& member : table.members) {
    text += fmt::format(" {}/{} on {} at {}", member.id.rank.value, member.id.incarnation.value,
                        member.host.value, member.endpoint);
  }
  for (const Rank& rank : table.lost) text += fmt::format(" -{}", rank.value);
  for (const Rank& rank : table.joined) text += fmt::format(" +{}", rank.value);
  return text + "\n";
}

std::string dump(const Save& save) {
  std::string text = fmt::format(" {}:", save.steps);
  for (const auto& shard : save.shards) text += shard ? " " + shard->key : " -";
  return text;
}

std::string dump(const Saves& saves) {
  std::string text = fmt::format(
      "  term {} opening {} request {} durable {}/{} restore {} since {} failed {}",
      saves.term.value, saves.opening, saves.request, saves.durable.term.value, saves.durable.steps,
      saves.restore ? saves.restore->steps : -1, saves.since.value, saves.failed_steps);
  if (saves.asked) text += "; asked";
  for (const auto& [at, save] : saves.collecting) {
    text += fmt::format("; collecting {}", at.first.value) + dump(save);
  }
  if (saves.committing) text += "; committing" + dump(*saves.committing);
  return text + "\n";
}

std::string dump(const Job& job) {
  const JobSpec& spec = job.spec;
  std::string text =
      fmt::format("job {} {} {}-{} ranks {} restarts whole {} {} hosts of {}: {}: {}\n",
                  job.id.value, spec.name, spec.ranks_min, spec.ranks_max, spec.restarts,
                  spec.whole, spec.hosts_max, spec.host_slots, state_name(job.state), job.reason);
  text += fmt::format(
      "  incarnation {} restarts {} broken {} state {} finishing {} healed {} since {}: {}\n",
      job.last_incarnation.value, job.restarts_used, job.broken, job.state_exists, job.finishing,
      job.healed, ns(job.broken_since), job.broken_why);
  text += fmt::format("  said {} at {} again {} kill at {} host failures {} next {}\n", job.said,
                      job.said_steps, job.again, job.kill_at ? ns(*job.kill_at) : -1,
                      job.host_failures, ns(job.next_host));
  text += dump(job.saves);
  text += fmt::format("  meets on {} at {}:{}\n", job.meeting.host.value, job.meeting.address,
                      job.meeting.port);
  text += dump(job.table) + dump("failure", job.failure) + dump("outcome", job.outcome);
  for (const RankRecord& rank : job.ranks) text += dump(rank);
  return text;
}

}  // namespace

std::string dump(const State& state) {
  std::string text = fmt::format("last host {} last job {} dropped {}\n", state.last_host.value,
                                 state.last_job.value, state.dropped_events);
  for (const auto& [id, host] : state.hosts) {
    text += fmt::format("host {} {} {} slots {} made {} for {} since {} until {}: {}\n", id.value,
                        host.name, host.slots, state_name(host.state), host.created,
                        host.wanted_by.value, ns(host.since), ns(host.deadline), host.reason);
    text += fmt::format("  at {} with {} ports\n", host.address, host.ports.size());
  }
  for (const auto& [id, job] : state.jobs) text += dump(job);
  return text;
}

}  // namespace ringmaster::jobs

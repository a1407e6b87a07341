// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/describe.h"

#include <fmt/format.h>

namespace ringmaster::jobs {
namespace {

std::string host_name(const State& state, HostId id) {
  const auto host = state.hosts.find(id);
  return host != state.hosts.end() ? host->second.name : fmt::format("host {}", id.value);
}

std::string held(std::int64_t steps) {
  return steps == kNoState ? "no state" : fmt::format("{} steps", steps);
}

std::string numbers(const std::vector<Rank>& ranks) {
  std::string text;
  for (const Rank& rank : ranks) text += fmt::format("{}{}", text.empty() ? "" : " ", rank.value);
  return text;
}

struct EventWords {
  const State& state;

  std::string operator()(const HostJoined& event) const {
    return fmt::format("host {} joined with {} slots", event.name, event.slots);
  }
  std::string operator()(const HostCreateFailed& event) const {
    return fmt::format("{} was not made: {}", host_name(state, event.host), event.why);
  }
  std::string operator()(const HostNotice& event) const {
    return fmt::format("{} will be taken at {:.2f}s: {}", host_name(state, event.host),
                       to_seconds(event.deadline.time_since_epoch()), event.why);
  }
  std::string operator()(const HostReleased& event) const {
    return fmt::format("{} released", host_name(state, event.host));
  }
  std::string operator()(const HostLost& event) const {
    return fmt::format("{} lost: {}", host_name(state, event.host), event.why);
  }
  std::string operator()(const JobSubmitted& event) const {
    return fmt::format("job submitted: {} to {} ranks, {} restarts", event.spec.ranks_min,
                       event.spec.ranks_max, event.spec.restarts);
  }
  std::string operator()(const StopRequested& event) const {
    return fmt::format("stop requested{}: {}", event.now ? " for now" : "", event.why);
  }
  std::string operator()(const RankStarted& event) const { return rank(event.id, "started"); }
  std::string operator()(const RankStartFailed& event) const {
    return rank(event.id, fmt::format("did not start: {}", event.why));
  }
  std::string operator()(const RankReady& event) const {
    return rank(event.id, fmt::format("is ready with {}", held(event.steps)));
  }
  std::string operator()(const RankSynced& event) const {
    return rank(event.id,
                fmt::format("synced in generation {}: {} of rank {}", event.generation.value,
                            held(event.steps), event.source.value));
  }
  std::string operator()(const RankFinished& event) const {
    return rank(event.id, fmt::format("finished in generation {}", event.generation.value));
  }
  std::string operator()(const RankFailed& event) const {
    return rank(event.id, fmt::format("says: {}", event.message));
  }
  std::string operator()(const RankExited& event) const {
    return rank(event.id, fmt::format("{}{}{} with {}", describe(event.status),
                                      event.why.empty() ? "" : ": ", event.why, held(event.steps)));
  }
  std::string operator()(const TimerExpired&) const { return "timer"; }
  std::string operator()(const ShardWritten& event) const {
    return rank(event.id, fmt::format("saved shard {} of {} of step {}", event.position,
                                      event.members, event.steps));
  }
  std::string operator()(const ShardFailed& event) const {
    return rank(event.id, fmt::format("did not save step {}: {}", event.steps, event.why));
  }
  std::string operator()(const TermOpened& event) const {
    return fmt::format("term {} opened, {}", event.term.value,
                       event.newest.exists()
                           ? fmt::format("checkpoint of step {} of term {}", event.newest.steps,
                                         event.newest.term.value)
                           : "no checkpoint");
  }
  std::string operator()(const TermFailed& event) const {
    return fmt::format("no term was opened: {}", event.why);
  }
  std::string operator()(const CheckpointCommitted& event) const {
    return fmt::format("checkpoint of step {} committed in term {}", event.steps, event.term.value);
  }
  std::string operator()(const CheckpointFailed& event) const {
    return fmt::format("checkpoint of step {} was not committed: {}", event.steps, event.why);
  }

 private:
  static std::string rank(const RankId& id, const std::string& what) {
    return fmt::format("rank {} (process {}) {}", id.rank.value, id.incarnation.value, what);
  }
};

struct ActionWords {
  const State& state;

  std::string operator()(const CreateHost& action) const {
    return fmt::format("make host {} with {} slots: {}", action.name, action.slots, action.reason);
  }
  std::string operator()(const ReleaseHost& action) const {
    return fmt::format("release {}: {}", host_name(state, action.host), action.reason);
  }
  std::string operator()(const StartRank& action) const {
    return fmt::format("start rank {} on {}: {}", action.id.rank.value,
                       host_name(state, action.host), action.reason);
  }
  std::string operator()(const SignalRank& action) const {
    return fmt::format("signal {} to rank {}: {}", action.signal, action.id.rank.value,
                       action.reason);
  }
  std::string operator()(const AbortGeneration& action) const {
    return fmt::format("abort generation {}: {}", action.generation.value, action.reason);
  }
  std::string operator()(const FormGeneration& action) const {
    const GenerationTable& table = action.table;
    std::vector<Rank> members;
    for (const Member& member : table.members) members.push_back(member.id.rank);
    std::string text =
        fmt::format("generation {}: ranks {}", table.generation.value, numbers(members));
    if (!table.lost.empty()) text += fmt::format(", without {}", numbers(table.lost));
    const bool first = table.generation.value == 1;
    if (!table.joined.empty() && !first) text += fmt::format(", new {}", numbers(table.joined));
    if (table.restore)
      text += fmt::format(", from the checkpoint of step {}", table.restore->steps);
    return text + ": " + table.reason;
  }
  std::string operator()(const EndJob& action) const {
    return fmt::format("job {} with code {}: {}", state_name(action.state), action.exit_code,
                       action.reason);
  }
  std::string operator()(const OpenTerm& action) const { return "open a term: " + action.reason; }
  std::string operator()(const CommitCheckpoint& action) const {
    return fmt::format("commit the checkpoint of step {} from {} shards", action.save.steps,
                       action.save.shards.size());
  }
  std::string operator()(const AskForSave& action) const {
    return "ask for a save: " + action.reason;
  }
  std::string operator()(const Report& action) const { return "report: " + action.text; }
};

}  // namespace

std::string describe(const Event& event, const State& state) {
  return std::visit(EventWords{state}, event);
}

std::string describe(const Action& action, const State& state) {
  return std::visit(ActionWords{state}, action);
}

}  // namespace ringmaster::jobs

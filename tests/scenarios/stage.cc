// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/stage.h"

#include <fmt/format.h>

#include <csignal>
#include <regex>

#include "jobs/core/describe.h"

namespace ringmaster::scenarios {
namespace {

using namespace jobs;

constexpr JobId kJob{1};

using Match = std::smatch;

std::int64_t number_of(const Match& match, std::size_t group) {
  return match[group].matched ? std::stoll(match[group].str()) : 0;
}

/// "0-2,5" is 0 1 2 5.
std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  const std::regex part("(\\d+)(?:-(\\d+))?");
  for (std::sregex_iterator at(list.begin(), list.end(), part), end; at != end; ++at) {
    const int first = static_cast<int>(number_of(*at, 1));
    const int last = (*at)[2].matched ? static_cast<int>(number_of(*at, 2)) : first;
    for (int number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

HostId host_id(const std::string& name) {
  return HostId{name.front() - 'a' + 1};
}

/// Lines that speak of no rank.
struct Command {
  std::regex form;
  Event (*make)(const Match&);
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {std::regex("host ([a-z]) joins with (\\d+) slots"),
       [](const Match& m) -> Event {
         return HostJoined{host_id(m[1]), m[1], static_cast<int>(number_of(m, 2))};
       }},
      {std::regex("host ([a-z]) lost: (.+)"),
       [](const Match& m) -> Event {
         return HostLost{host_id(m[1]), m[2]};
       }},
      {std::regex("host ([a-z]) was not made: (.+)"),
       [](const Match& m) -> Event {
         return HostCreateFailed{host_id(m[1]), m[2]};
       }},
      {std::regex("host ([a-z]) is released"),
       [](const Match& m) -> Event { return HostReleased{host_id(m[1])}; }},
      {std::regex("job of (\\d+) to (\\d+) ranks, (\\d+) restarts(?:, (\\d+) hosts of (\\d+))?"
                  "(?:, saved every (\\d+) (steps|seconds))?"),
       [](const Match& m) -> Event {
         JobSpec spec;
         spec.name = "story";
         spec.ranks_min = static_cast<int>(number_of(m, 1));
         spec.ranks_max = static_cast<int>(number_of(m, 2));
         spec.restarts = static_cast<int>(number_of(m, 3));
         spec.hosts_max = static_cast<int>(number_of(m, 4));
         if (m[5].matched) spec.host_slots = static_cast<int>(number_of(m, 5));
         if (m[7] == "seconds") spec.save_period = std::chrono::seconds(number_of(m, 6));
         if (m[7] == "steps") spec.save_every = number_of(m, 6);
         return JobSubmitted{kJob, spec};
       }},
      {std::regex("term (\\d+) opens(?: and finds step (\\d+) of term (\\d+))?(?:, not (.+))?"),
       [](const Match& m) -> Event {
         CheckpointAt newest;
         if (m[2].matched) newest = {Term{number_of(m, 3)}, number_of(m, 2)};
         return TermOpened{kJob, number_of(m, 1), Term{number_of(m, 1)}, newest, m[4]};
       }},
      {std::regex("no term opens: (.+)"),
       [](const Match& m) -> Event {
         return TermFailed{kJob, 1, m[1]};
       }},
      {std::regex("step (\\d+) is committed in term (\\d+)"),
       [](const Match& m) -> Event {
         return CheckpointCommitted{kJob, Term{number_of(m, 2)}, number_of(m, 1)};
       }},
      {std::regex("step (\\d+) is not committed: (.+)"),
       [](const Match& m) -> Event {
         return CheckpointFailed{kJob, number_of(m, 1), m[2]};
       }},
      {std::regex("stop( now)?: (.+)"),
       [](const Match& m) -> Event {
         return StopRequested{kJob, m[2], SIGINT, 128 + SIGINT, m[1].matched};
       }},
  };
  return all;
}

/// Lines that speak of ranks: what is said of each one, after "ranks 0-3 ".
struct RankCommand {
  std::regex form;
  Event (*make)(const RankId&, const Job&, const Match&);
};

const std::vector<RankCommand>& rank_commands() {
  static const std::vector<RankCommand> all = {
      {std::regex("starts?"),
       [](const RankId& id, const Job&, const Match&) -> Event { return RankStarted{id}; }},
      {std::regex("cannot start: (.+)"),
       [](const RankId& id, const Job&, const Match& m) -> Event {
         return RankStartFailed{id, 127, m[1]};
       }},
      {std::regex("ready(?: with (\\d+) steps)?"),
       [](const RankId& id, const Job& job, const Match& m) -> Event {
         return RankReady{id, m[1].matched ? number_of(m, 1) : kNoState, job.table.generation};
       }},
      {std::regex("holds? (\\d+) steps of rank (\\d+)"),
       [](const RankId& id, const Job& job, const Match& m) -> Event {
         return RankSynced{id, job.table.generation, number_of(m, 1), Rank{number_of(m, 2)}};
       }},
      {std::regex("finish(?:es)?"),
       [](const RankId& id, const Job& job, const Match&) -> Event {
         return RankFinished{id, job.table.generation};
       }},
      {std::regex("saves? step (\\d+)"),
       [](const RankId& id, const Job& job, const Match& m) -> Event {
         ShardWritten written{id, job.table.generation, number_of(m, 1), 0, 1, {8}, {}};
         written.members = static_cast<int>(job.table.members.size());
         for (const Member& member : job.table.members) {
           written.position += member.id.rank < id.rank ? 1 : 0;
         }
         return written;
       }},
      {std::regex("cannot save step (\\d+): (.+)"),
       [](const RankId& id, const Job&, const Match& m) -> Event {
         return ShardFailed{id, number_of(m, 1), m[2]};
       }},
      {std::regex("says? (.+)"),
       [](const RankId& id, const Job&, const Match& m) -> Event {
         return RankFailed{id, m[1]};
       }},
      {std::regex("exits? with code (\\d+)"),
       [](const RankId& id, const Job&, const Match& m) -> Event {
         return RankExited{id, {static_cast<int>(number_of(m, 1)), 0}, kNoState};
       }},
      {std::regex("killed by signal (\\d+)(?: after (\\d+) steps)?"),
       [](const RankId& id, const Job&, const Match& m) -> Event {
         return RankExited{
             id, {0, static_cast<int>(number_of(m, 1))}, m[2].matched ? number_of(m, 2) : kNoState};
       }},
  };
  return all;
}

}  // namespace

Result<std::vector<std::string>> Stage::play(const std::string& line) {
  said_.clear();
  static const std::regex kTimed("([\\d.]+)s (.+)");
  Match match;
  std::string command = line;
  if (std::regex_match(line, match, kTimed)) {
    const std::chrono::duration<double> at(std::stod(match[1].str()));
    const auto moved = move_clock(Time(std::chrono::duration_cast<Duration>(at)));
    if (!moved) return moved.error();
    command = match[2];
  }
  const auto played = play_command(command);
  if (!played) return Error{played.error().code, line + ": " + played.error().message};
  return said_;
}

Result<void> Stage::play_command(const std::string& command) {
  Match match;
  if (command == "wait") return {};
  // Its time is counted from now: no table entry, those do not know the time.
  static const std::regex kNotice("host ([a-z]) will be taken in (\\d+)s: (.+)");
  if (std::regex_match(command, match, kNotice)) {
    const Time deadline = now_ + std::chrono::seconds(number_of(match, 2));
    return deliver(HostNotice{host_id(match[1]), deadline, match[3]});
  }
  for (const Command& known : commands()) {
    if (std::regex_match(command, match, known.form)) return deliver(known.make(match));
  }
  static const std::regex kRanks("ranks? ([\\d,-]+) (.+)");
  Match ranks;
  if (!std::regex_match(command, ranks, kRanks)) return Error{Errc::invalid, "not understood"};
  const std::string said = ranks[2];
  for (const RankCommand& known : rank_commands()) {
    if (!std::regex_match(said, match, known.form)) continue;
    for (const int number : numbers_of(ranks[1])) {
      if (job() == nullptr || number >= job()->spec.ranks_max) {
        return Error{Errc::invalid, "there is no such rank"};
      }
      const auto delivered = deliver(known.make(rank_id(number), *job(), match));
      if (!delivered) return delivered;
    }
    return {};
  }
  return Error{Errc::invalid, "not understood"};
}

Result<void> Stage::move_clock(Time to) {
  if (to < now_) return Error{Errc::invalid, "the clock does not run backwards"};
  for (auto timer = core_.next_timer(); timer && *timer <= to; timer = core_.next_timer()) {
    now_ = std::max(now_, *timer);
    const auto delivered = deliver(TimerExpired{});
    if (!delivered) return delivered;
  }
  now_ = to;
  return {};
}

Result<void> Stage::deliver(const Event& event) {
  const Actions actions = core_.step(now_, event);
  const std::string time = fmt::format("[{:.2f}s] ", to_seconds(now_.time_since_epoch()));
  for (const Action& action : actions) {
    said_.push_back(time + describe(action, core_.state()));
  }
  if (job() != nullptr && job()->reason != reason_ && !job()->ended()) {
    reason_ = job()->reason;
    said_.push_back(time + fmt::format("job is {}: {}", state_name(job()->state), reason_));
  }
  for (const std::string& text : invariants_.check(core_.state(), actions)) {
    return Error{Errc::invalid, "an invariant broke: " + text};
  }
  return {};
}

RankId Stage::rank_id(int number) const {
  return job()->ranks[static_cast<std::size_t>(number)].id;
}

const Job* Stage::job() const {
  const auto found = core_.state().jobs.find(kJob);
  return found == core_.state().jobs.end() ? nullptr : &found->second;
}

}  // namespace ringmaster::scenarios

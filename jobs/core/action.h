// SPDX-License-Identifier: Apache-2.0
//
// What a shell is told to do. Every action that a person could ask "why?" about carries its reason.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "jobs/core/event.h"

namespace ringmaster::jobs {

enum class JobState { waiting, starting, running, stopping, done, failed, cancelled };
inline constexpr int kJobStates = 7;
const char* state_name(JobState state);

/// A place in a generation. Its index in `members` is its position.
struct Member {
  RankId id;
  HostId host;
  std::string endpoint = {};
};

/// One ordered membership of a job's ranks, complete when it is sent.
struct GenerationTable {
  Generation generation;
  std::vector<Member> members;  // in order of position = order of number
  std::vector<Rank> lost;       // in the last generation and not in this one
  std::vector<Rank> joined;     // in this one and not in the last
  Time since;                   // when what ended the last one was heard; the start, for the first
  std::string reason;
  Term term = {};                            // for the names of shards
  std::optional<CheckpointAt> restore = {};  // what its members load first that hold nothing
};

/// Make a host of this id; the promise to do so is in the core's state until it has joined or is
/// released. A second one for the same id changes nothing. Answer: HostJoined or HostCreateFailed.
struct CreateHost {
  HostId host;
  std::string name;
  int slots = 0;
  std::string reason;
};
/// End the host and all that runs there, if it exists at all. Answer: HostReleased.
struct ReleaseHost {
  HostId host;
  std::string reason;
};
/// Start the process. Its answer is rank_started or rank_start_failed, later rank_exited.
struct StartRank {
  RankId id;
  HostId host;
  std::string reason;
  int attempt = 0;  // processes that this rank had before
};
/// Send the signal to the rank's whole process group. SIGKILL goes to all that it has started.
struct SignalRank {
  RankId id;
  int signal = 0;
  std::string reason;
};
/// Make every collective of the generation end with generation_changed, now.
struct AbortGeneration {
  JobId job;
  Generation generation;
  std::string reason;
};
/// Send the table to its members. None of them, and no rank of an older one, is in a collective.
struct FormGeneration {
  JobId job;
  GenerationTable table;
};
/// The job is over: no process of it is left. The last action of a job; it may be said again.
struct EndJob {
  JobId job;
  JobState state;
  int exit_code = 0;
  std::string reason;
};
/// Open the next term of the job's checkpoints. Answer: TermOpened or TermFailed. Terms and commits
/// of a job are done one after the other, in the order of the actions.
struct OpenTerm {
  JobId job;
  std::int64_t request = 0;
  std::string reason;
};
/// Make the checkpoint exist, under the term that was opened last. Answer: CheckpointCommitted or
/// CheckpointFailed.
struct CommitCheckpoint {
  JobId job;
  Term term;
  Save save;
};
/// The ranks shall save as soon as they can agree on a step: a host will be taken. A wish: whether
/// a save comes of it is seen from the shards.
struct AskForSave {
  JobId job;
  std::string reason;
};
/// Something a person watching would want to know.
struct Report {
  JobId job;
  std::string text;
};

using Action = std::variant<CreateHost, ReleaseHost, StartRank, SignalRank, AbortGeneration,
                            FormGeneration, EndJob, Report, OpenTerm, CommitCheckpoint, AskForSave>;
using Actions = std::vector<Action>;

/// "form_generation": for traces and tables, in the order of the variant.
const char* action_name(const Action& action);

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
//
// Who brought a job down, and who only went down with it: the rank whose failure came first, ranks
// that had failed by themselves before they could be told to end, and those that were told.
//
// The core decides what a job ends with; this listens to what it hears and orders, and keeps names.
// A rank that had ended when its signal was sent did so by itself, whatever it ended with: asked
// about at that moment, because later both look alike.
//
// Pure: events and actions in, lines out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/core/action.h"
#include "jobs/core/state.h"

namespace ringmaster::launcher {

/// How a rank's process ended by itself.
struct Casualty {
  jobs::RankId id;
  jobs::ExitStatus status;
  std::string why = {};  // what its host knows beyond the status
  int attempt = 0;       // processes that the rank had before
};

/// What there is of a rank at the moment when it is told to end.
enum class Found { nothing, alive, ended };

class Casualties {
 public:
  /// After each step of the core; `job` as it is now.
  void hear(const jobs::Event& event, const jobs::Job& job);
  /// Before the action is performed.
  void tell(const jobs::SignalRank& action, Found found);

  /// The first failure; nothing when no rank's process was the cause.
  const std::optional<Casualty>& cause() const { return cause_; }
  /// "ranks 0 and 2-7 were stopped because of it" and so on, a line each. `grace`: that was over
  /// for those who were killed.
  std::vector<std::string> lines(Duration grace) const;

 private:
  struct Fate {
    jobs::Incarnation incarnation;
    bool stopped = false;  // it was alive
    bool killed = false;   // by SIGKILL, after another signal
  };
  void look_for_cause(const jobs::Event& event, const jobs::Job& job);

  bool settled_ = false;   // what the job ends with is known
  bool stopping_ = false;  // the job ends, and does not start again
  std::optional<Casualty> cause_;
  std::map<jobs::Rank, Fate> fates_;  // of ranks that were told to end, and had not yet
  std::vector<Casualty> failed_too_;  // by themselves, after the cause
};

/// Pure: "rank 3", "ranks 0, 2-4 and 7".
std::string ranks_text(const std::set<int>& ranks);

}  // namespace ringmaster::launcher

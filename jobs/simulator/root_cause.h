// SPDX-License-Identifier: Apache-2.0
//
// Which exit codes a failed job may end with, found from what the core was told and nothing else:
// the first failure since the ring last worked, or an error that ended the job on the spot. Never
// the code of a rank that only died because the job was already being stopped.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "jobs/core/state.h"

namespace ringmaster::jobs::simulator {

class RootCause {
 public:
  /// Before the core hears of the event; `job` as it is then.
  void before(const Event& event, const Job* job);
  /// What the core does about it: it may kill a rank that keeps the others waiting.
  void after(const Actions& actions);

  /// What is wrong with this end, or "".
  std::string judge(const EndJob& end) const;

 private:
  void failed(int code, bool by_itself);

  std::set<int> allowed_;
  bool stopping_ = false;
  bool first_ = true;  // no failure since the ring last worked
  std::optional<int> stop_code_;
  Generation healed_;
};

}  // namespace ringmaster::jobs::simulator

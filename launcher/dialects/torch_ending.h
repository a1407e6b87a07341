// SPDX-License-Identifier: Apache-2.0
//
// The block that closes a failed torchrun: the ranks that failed by themselves, the first one last,
// with the fields and in the shape that people and log readers know.
//
// First is the earliest moment that torch's own error files name (one host, one clock), and for
// ranks that left none the moment at which their end was seen. Ranks that were stopped because of
// another's failure are no failures.
//
// Pure: moments, pids and reports are arguments.
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/core/action.h"
#include "launcher/contracts/error_file.h"

namespace ringmaster::launcher {

class TorchEnding {
 public:
  /// What is known of a rank at its end beside its exit status.
  struct Traces {
    pid_t pid = 0;
    std::string error_file = {};  // "": there is none
    std::optional<ErrorReport> report = {};
    double wall = 0;  // seconds since 1970, now
  };

  /// Whether the event is a failure of which traces are wanted.
  bool wants_traces(const jobs::Event& event) const;
  void hear(const jobs::RankExited& event, Traces traces);
  void hear(const jobs::RankFailed& event);
  /// What the core has decided: a new attempt forgets the failures of the last one.
  void tell(const jobs::Action& action);

  /// The block with its newlines; "" where no rank failed by itself.
  std::string text(std::string_view program, std::string_view host) const;

 private:
  struct Failure {
    jobs::RankId id;
    jobs::ExitStatus status;
    Traces traces;
    std::string words;
    double moment() const;
  };
  std::string block_of(const Failure& failure, int number, std::string_view host) const;
  std::string words_of(const Failure& failure) const;

  int attempt_ = 0;
  std::set<jobs::Incarnation> stopped_;
  std::vector<std::pair<jobs::Incarnation, std::string>> said_;  // before their ends
  std::vector<Failure> failures_;
};

}  // namespace ringmaster::launcher

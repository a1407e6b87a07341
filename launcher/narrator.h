// SPDX-License-Identifier: Apache-2.0
//
// Tells the person in front of ringrun what is worth knowing, in as few lines as possible: nothing
// for a plain job that goes well, one line for each start of all its ranks again, for each loss and
// each heal of an elastic one, and the reason when it ends badly.
//
// Pure: actions in, lines out.
#pragma once

#include <string>
#include <vector>

#include "jobs/core/action.h"

namespace ringmaster::launcher {

class Narrator {
 public:
  explicit Narrator(bool elastic) : elastic_(elastic) {}

  std::vector<std::string> tell(const jobs::Action& action, Time now);
  /// Of a job that did not fail (ending/closing.h has those of one that did), after everything else
  /// was written.
  std::vector<std::string> last_words(const jobs::EndJob& end, Time now) const;

 private:
  bool elastic_;
  bool started_ = false;
  Time start_;
  int losses_ = 0;
  int joins_ = 0;
};

}  // namespace ringmaster::launcher

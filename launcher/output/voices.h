// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of each rank's output beside passing it on: when some came last, and the last
// lines of its standard error, which are worth a second look when the rank turns out to be the
// root cause among many that wrote.
//
// One process of each rank is remembered, the newest, in kTailMax bytes.
//
// Thread rules: the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "jobs/core/ids.h"

namespace ringmaster::launcher {

/// Of one process.
class Voice {
 public:
  /// A traceback of a dozen frames fits.
  static constexpr std::size_t kTailMax = 4096;

  explicit Voice(Time now) : heard_(now) {}
  void hear(Time now, std::string_view bytes, bool error);

  /// When it wrote last; its start before.
  Time heard() const { return heard_; }
  /// The last bytes that it wrote to standard error.
  const std::string& errors() const { return errors_; }

 private:
  Time heard_;
  std::string errors_;
};

class Voices {
 public:
  /// Called with each portion of a process's output as it comes.
  using Listener = std::function<void(std::string_view bytes, bool error)>;

  /// The process is about to start.
  Listener listen(const jobs::RankId& id);
  /// What is remembered of it; nothing of one that another has followed.
  std::shared_ptr<const Voice> of(const jobs::RankId& id) const;

 private:
  struct Kept {
    jobs::Incarnation incarnation;
    std::shared_ptr<Voice> voice;
  };
  std::map<jobs::Rank, Kept> kept_;
};

/// Pure: the last lines of the text, at most `most`, without colours and other control characters.
/// A '\r' ends a line: of a progress bar its last state counts. The first one may be cut short.
std::vector<std::string> last_lines_of(std::string_view text, std::size_t most);

/// Pure: the line with which a Python traceback ends, "ValueError: x is negative"; "" when there is
/// none in `lines`.
std::string traceback_end(const std::vector<std::string>& lines);

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// How a rank leaves a generation in which calls did not match, so that all leave it with the same
// words.
//
// Several ranks may find several differences at once. So whoever has found one, or hears of one,
// tells its neighbours in the ring and waits; the first member takes what it finds or hears first,
// and says it as its last frame, which everybody passes on as its own. A rank that cannot
// hear those words in time (kDecisionMax: somebody between has not called) leaves with its own,
// which name two ranks that differ as well; the lower members first, so that the higher ones may
// still hear them.
//
// Then a rank reads on until its neighbours' last frames have come: a socket that is closed with
// unread bytes resets the connection, and a reset can overtake the last frame. A peer that is busy
// elsewhere is not waited for longer than kFarewellMax: what it needs lies in its socket by then.
//
// Thread rules: one thread.
#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "base/time.h"
#include "collectives/tcp/lane.h"

namespace ringmaster::collectives {

inline constexpr Duration kFarewellMax = std::chrono::seconds(2);
inline constexpr Duration kDecisionMax = std::chrono::seconds(5);  // and a little for each member

class Farewell {
 public:
  /// `header` is that of what is said, `words` what this rank has found or heard. `told_by` is the
  /// lane whose last frame they came with, or null. The lanes outlive it.
  Farewell(std::vector<Lane>& lanes, const Frame& header, std::string words, const Lane* told_by);

  /// The words are everybody's from here on, whatever else is heard.
  void decide() { decided_ = true; }
  bool decided() const { return decided_; }
  const std::string& words() const { return words_; }

  /// Says and hears what can be without waiting; false: nothing could.
  bool step();
  /// All has been said, and heard from those that are waited for.
  bool over() const;
  void add_to(std::vector<pollfd>& fds) const;

 private:
  /// Of one lane.
  struct Goodbye {
    bool told = false;  // that calls differ: it is out, or on its way
    bool last = false;  // the same of our last frame
    bool said = false;  // that is out
    bool heard = false;
  };

  bool say(Lane& lane, Goodbye& goodbye);
  bool hear(Lane& lane, Goodbye& goodbye);

  std::vector<Lane>& lanes_;
  std::vector<Goodbye> goodbyes_;  // by lane
  Frame header_;
  const std::string found_;
  std::string words_;
  bool decided_;
};

}  // namespace ringmaster::collectives

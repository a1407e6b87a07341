// SPDX-License-Identifier: Apache-2.0
//
// How a rank leaves a generation in which calls did not match, so that the others learn it too.
//
// Its last frame goes to those that it had to do with, its neighbours in the ring always: so it
// reaches all. Then it reads on until theirs has come: a socket that is
// closed with unread bytes resets the connection, and a reset can overtake the last frame. A
// peer that is busy elsewhere is not waited for longer than kFarewellMax: what it needs lies
// in its socket by then.
#pragma once

#include <string>
#include <vector>

#include "collectives/tcp/alarm.h"
#include "collectives/tcp/link.h"

namespace ringmaster::collectives {

inline constexpr Duration kFarewellMax = std::chrono::seconds(2);

struct Goodbye {
  Link& link;
  bool begun = false;  // our last frame is on its way
  bool said = false;
  bool heard = false;  // the peer's has come
};

/// `words` are the payload of `last`.
void say_goodbye(std::vector<Goodbye>& goodbyes, const Frame& last, const std::string& words,
                 const Alarm& alarm);

}  // namespace ringmaster::collectives

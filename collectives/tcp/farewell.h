// SPDX-License-Identifier: Apache-2.0
//
// How a rank leaves a ring in which calls did not match, so that the others learn it too.
//
// Its last frame goes to both neighbours. Then it reads on until theirs has come: a socket that is
// closed with unread bytes resets the connection, and a reset can overtake the last frame. A
// neighbour that is busy elsewhere is not waited for longer than kFarewellMax: what it needs lies
// in its socket by then.
#pragma once

#include <vector>

#include "collectives/tcp/alarm.h"
#include "collectives/tcp/link.h"

namespace ringmaster::collectives {

inline constexpr Duration kFarewellMax = std::chrono::seconds(1);

struct Goodbye {
  Link& link;
  bool begun = false;  // our last frame is on its way
  bool said = false;
  bool heard = false;  // the peer's has come
};

void say_goodbye(std::vector<Goodbye>& goodbyes, const Frame& last, const MismatchBytes& payload,
                 const Alarm& alarm);

}  // namespace ringmaster::collectives

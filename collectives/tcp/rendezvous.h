// SPDX-License-Identifier: Apache-2.0
//
// Makes the two connections of a rank: it knocks at the next rank's door and opens its own for the
// previous one. Of two ranks the lower position knocks, and the connection serves both directions.
//
// Thread rules: one thread.
#pragma once

#include <memory>

#include "base/result.h"
#include "collectives/tcp/alarm.h"
#include "collectives/tcp/link.h"
#include "collectives/tcp/tcp_communicator.h"

namespace ringmaster::collectives {

struct Links {
  std::unique_ptr<Link> next, prev;  // with two ranks one of them is null
};

/// `what` begins the messages of errors. `membership.numbers` is complete.
Result<Links> meet(TcpListener& listener, const TcpMembership& membership, const Alarm& alarm,
                   const std::string& what, Duration timeout, Duration grace);

}  // namespace ringmaster::collectives

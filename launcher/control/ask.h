// SPDX-License-Identifier: Apache-2.0
//
// One question to this user's coordinator and its answer.
//
// Thread rules: blocks for at most the patience.
#pragma once

#include "base/time.h"
#include "jobs/wire/messages.pb.h"
#include "launcher/host/state_home.h"

namespace ringmaster::launcher {

/// No coordinator that answers is not_found or timed_out, with what to try in the message.
Result<wire::ToClient> ask(const StateHome& home, const wire::FromClient& question,
                           Duration patience = std::chrono::seconds(10));

/// Whether a coordinator holds the state directory's lock.
bool coordinator_runs(const StateHome& home);

}  // namespace ringmaster::launcher

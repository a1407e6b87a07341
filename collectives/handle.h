// SPDX-License-Identifier: Apache-2.0
//
// What stands behind the C ABI's handle, and how an Error becomes a status with a message.
#pragma once

#include <memory>

#include "collectives/communicator.h"
#include "collectives/shm/arena.h"

struct ringmaster_communicator {
  std::unique_ptr<ringmaster::collectives::Arena> arena;  // of the session
  std::unique_ptr<ringmaster::collectives::Communicator> engine;
};

namespace ringmaster::collectives {

/// Keeps the message for this thread's ringmaster_error_message() and gives the status.
ringmaster_status to_status(const Result<void>& result);

}  // namespace ringmaster::collectives

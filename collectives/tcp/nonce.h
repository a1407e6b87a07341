// SPDX-License-Identifier: Apache-2.0
//
// Sixteen bytes that nobody has seen before, from the system's random source.
#pragma once

#include "collectives/tcp/handshake.h"

namespace ringmaster::collectives {

Nonce make_nonce();

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// The agreement (agreement.h) of a send with its receive. Only the two ends of a transfer know of
// it, so they alone compare: each tells the other what it is about to send or to take.
//
// Thread rules: one thread, that of the communicator.
#pragma once

#include "collectives/agreement.h"

namespace ringmaster::collectives {

using Transfers = std::vector<Transfer>;

/// Two parts of a call in one: Memory::both when one is here and one there.
Memory together(Memory a, Memory b);

/// Where the arrays of all these transfers lie, when their other ends fit. Errc::mismatch names
/// both ends, on both of them. `exchange` does transfers of a few bytes of host memory.
Result<Memory> agree_on_transfers(
    const Transfers& sends, const Transfers& receives, const std::vector<int>& numbers,
    int position, const std::function<Memory(const Transfer&)>& memory_of,
    const std::function<Result<void>(const Transfers&, const Transfers&)>& exchange);

}  // namespace ringmaster::collectives

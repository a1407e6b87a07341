// SPDX-License-Identifier: Apache-2.0
//
// The core's state as bytes and back: nothing is lost on the way, so that a core which goes on from
// them decides as one that has taken all the events in.
//
// The writer takes every struct apart by all its members at once: one that is added to the core and
// forgotten here does not compile.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "jobs/core/core.h"

namespace ringmaster::jobs {

/// Grows when an older reader would misunderstand the bytes.
inline constexpr int kSnapshotFormat = 1;

std::string snapshot_of(const Core& core);
/// Errc::invalid for one of a newer format, Errc::corrupt for bytes that are none.
Result<Core> core_of(std::string_view bytes);

/// One job: what is kept of it when it has ended.
std::string record_of(const Job& job);
Result<Job> job_of_record(std::string_view bytes);

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
//
// The ids of the job core. A rank's number is stable for its life and is what people see; its
// position belongs to one generation and is an index into that generation's members.
#pragma once

#include "base/ids.h"

namespace ringmaster::jobs {

using JobId = Id<struct JobTag>;
using HostId = Id<struct HostTag>;
/// A rank's number: a replacement takes the number of the rank it replaces.
using Rank = Id<struct RankTag>;
/// One membership of a job's ranks. Grows with every loss and join; 0 means none yet.
using Generation = Id<struct GenerationTag>;
/// One process of a rank, counted over the whole job: what an older process still says is dropped.
using Incarnation = Id<struct IncarnationTag>;

/// One writer's turn at a job's checkpoints (a fence in the store); 0 means none yet.
using Term = Id<struct TermTag>;

/// One process of one rank. What an older incarnation says is dropped.
struct RankId {
  JobId job;
  Rank rank;
  Incarnation incarnation;
  friend bool operator==(const RankId&, const RankId&) = default;
};

}  // namespace ringmaster::jobs

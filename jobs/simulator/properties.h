// SPDX-License-Identifier: Apache-2.0
//
// What must hold between the core's orders and the world, and what only the world can see. Each
// function looks at one moment and tells the world what is wrong with it.
#pragma once

#include "jobs/simulator/world.h"

namespace ringmaster::jobs::simulator {

/// A process of this rank is about to start: no other one of the same rank lives.
void check_start(World& world, const RankId& id);

/// A generation forms: nobody who lives is inside an older one.
void check_formed(World& world, const GenerationTable& table);

/// A generation starts from a checkpoint: the newest one that was committed, and nothing better
/// lives.
void check_restored(World& world, const CheckpointAt& at);

/// A member holds the state of its generation: nobody who lives has finished more steps.
void check_synced(World& world, const Process& process);

/// A rank ends its work: every step is there and counts every place of its batch once, and all who
/// end it have the same weights.
void check_finished(World& world, const Process& process);

/// The job stops although nobody asked for it: no state is given up that somebody still holds.
void check_gives_up(World& world, const Actions& actions);

/// The job ends: nothing of it is left, and its exit code is the root cause's.
void check_end(World& world, const EndJob& end);

/// Nothing more will happen. That is right when the job has ended or really lacks hosts; in the
/// latter case true is returned: somebody has to give up.
bool check_stuck(World& world);

}  // namespace ringmaster::jobs::simulator

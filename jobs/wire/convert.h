// SPDX-License-Identifier: Apache-2.0
//
// Between the core's structs and their messages. The core never sees a message; every message is
// checked here, so that what reaches the core is what a right program could say.
//
// Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "jobs/core/action.h"
#include "jobs/core/event.h"
#include "jobs/wire/messages.pb.h"

namespace ringmaster::jobs {

wire::Event to_wire(const Event& event);
/// An unknown kind, a negative id or a number out of its range is Errc::corrupt.
Result<Event> from_wire(const wire::Event& event);

wire::JobSpec to_wire(const JobSpec& spec);
JobSpec from_wire(const wire::JobSpec& in);
wire::StoredShard to_wire(const StoredShard& shard);
StoredShard from_wire(const wire::StoredShard& in);
wire::CheckpointAt to_wire(const CheckpointAt& at);
CheckpointAt from_wire(const wire::CheckpointAt& in);

wire::RankId to_wire(const RankId& id);
RankId from_wire(const wire::RankId& id);

/// A piece of the output of a job's ranks on one host.
struct OutputPiece {
  JobId job;
  std::int64_t offset = 0;
  std::int64_t first = 0;  // the oldest byte that can still be had
  std::string_view data;   // of the message
  bool last = false;
};
/// Offsets that cannot be, or more than one piece, is Errc::corrupt.
Result<OutputPiece> from_wire(const wire::FromAgent::Output& message);
inline constexpr std::size_t kOutputPieceMax = 64 * 1024;

/// `now` turns the time of what ended the last generation into an age.
wire::ToAgent to_wire(const FormGeneration& action, Time now);
/// The table as the agent's side needs it; `now` is the agent's clock.
GenerationTable table_of(const wire::ToAgent::FormGeneration& message, Time now);

}  // namespace ringmaster::jobs

// SPDX-License-Identifier: Apache-2.0
//
// What agents and the coordinator say to each other beside events.
#include <algorithm>

#include "jobs/wire/convert.h"

namespace ringmaster::jobs {

Result<OutputPiece> from_wire(const wire::FromAgent::Output& message) {
  constexpr std::int64_t kOffsetMax = std::int64_t{1} << 60;  // sums of offsets stay in range
  const bool right = message.offset() >= 0 && message.offset() <= kOffsetMax &&
                     message.first() >= 0 && message.first() <= message.offset() &&
                     message.data().size() <= kOutputPieceMax;
  if (!right) return Error{Errc::corrupt, "a piece of output that cannot be"};
  return OutputPiece{JobId{message.job()}, message.offset(), message.first(), message.data(),
                     message.last()};
}

wire::ToAgent to_wire(const FormGeneration& action, Time now) {
  wire::ToAgent out;
  auto* form = out.mutable_form_generation();
  const GenerationTable& table = action.table;
  form->set_job(action.job.value);
  form->set_generation(table.generation.value);
  form->set_lost(static_cast<std::int32_t>(table.lost.size()));
  form->set_joined(static_cast<std::int32_t>(table.joined.size()));
  form->set_since_age_ns((now - table.since).count());
  form->set_reason(table.reason);
  form->set_term(table.term.value);
  if (table.restore) *form->mutable_restore() = to_wire(*table.restore);
  for (const Member& member : table.members) {
    auto* to = form->add_members();
    *to->mutable_id() = to_wire(member.id);
    to->set_host(member.host.value);
    to->set_endpoint(member.endpoint);
  }
  return out;
}

GenerationTable table_of(const wire::ToAgent::FormGeneration& message, Time now) {
  GenerationTable table;
  table.generation = Generation{message.generation()};
  for (const auto& member : message.members()) {
    table.members.push_back({from_wire(member.id()), HostId{member.host()}, member.endpoint()});
  }
  table.lost.resize(static_cast<std::size_t>(std::max(0, message.lost())));
  table.joined.resize(static_cast<std::size_t>(std::max(0, message.joined())));
  table.since = now - Duration(message.since_age_ns());
  table.reason = message.reason();
  table.term = Term{message.term()};
  if (message.has_restore()) table.restore = from_wire(message.restore());
  return table;
}

}  // namespace ringmaster::jobs

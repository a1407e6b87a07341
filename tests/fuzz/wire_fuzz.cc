// SPDX-License-Identifier: Apache-2.0
//
// Messages of the control plane: what is accepted is within its bounds, and an event that was read
// says the same when it is written again.
#include "base/check.h"
#include "jobs/wire/convert.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void run_event(const wire::Event& message) {
  const auto event = jobs::from_wire(message);
  if (!event) {
    CHECK(!event.error().message.empty());
    return;
  }
  const std::string bytes = jobs::to_wire(*event).SerializeAsString();
  wire::Event again;
  CHECK(again.ParseFromString(bytes));
  const auto same = jobs::from_wire(again);
  CHECK(same.ok());
  CHECK(jobs::to_wire(*same).SerializeAsString() == bytes);
}

void run_output(const wire::FromAgent::Output& message) {
  const auto piece = jobs::from_wire(message);
  if (!piece) return;
  CHECK_LE(0, piece->first);
  CHECK_LE(piece->first, piece->offset);
  CHECK_LE(piece->data.size(), jobs::kOutputPieceMax);
}

void run(std::string_view input) {
  wire::FromAgent message;
  if (!message.ParseFromArray(input.data(), static_cast<int>(input.size()))) return;
  if (message.has_event()) run_event(message.event().event());
  if (message.has_output()) run_output(message.output());
}

std::string event_of(const jobs::Event& event) {
  wire::FromAgent message;
  message.mutable_event()->set_number(7);
  *message.mutable_event()->mutable_event() = jobs::to_wire(event);
  return message.SerializeAsString();
}

std::string output_of(std::int64_t first, std::int64_t offset, const std::string& data) {
  wire::FromAgent message;
  message.mutable_output()->set_job(3);
  message.mutable_output()->set_first(first);
  message.mutable_output()->set_offset(offset);
  message.mutable_output()->set_data(data);
  message.mutable_output()->set_last(true);
  return message.SerializeAsString();
}

}  // namespace

Target wire_target() {
  using namespace jobs;
  const RankId id{JobId{3}, Rank{1}, Incarnation{4}};
  return {"wire",
          {event_of(HostJoined{HostId{2}, "box", 8, "10.0.0.7", {7001, 7002}}),
           event_of(HostNotice{HostId{2}, Time(std::chrono::seconds(30)), "spot"}),
           event_of(RankStarted{id, "10.0.0.7:4711"}), event_of(RankExited{id, {0, 9}, 40}),
           event_of(ShardFailed{id, 40, "disk full"}), output_of(0, 0, "[0] a line\n"),
           output_of(40, 100, "[1] another\n"), output_of(101, 100, ""), ""},
          &run,
          10000};
}

}  // namespace ringmaster::fuzz

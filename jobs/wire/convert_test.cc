// SPDX-License-Identifier: Apache-2.0
#include "jobs/wire/convert.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"

namespace ringmaster::jobs {
namespace {

/// One event of each kind, with numbers from the seed.
std::vector<Event> some_events(Random& random) {
  const auto number = [&] { return static_cast<std::int64_t>(1 + random.below(1'000'000)); };
  const RankId id{JobId{number()}, Rank{number()}, Incarnation{number()}};
  JobSpec spec;
  spec.name = "job";
  spec.ranks_min = 1 + static_cast<int>(random.below(5));
  spec.ranks_max = spec.ranks_min + static_cast<int>(random.below(5));
  spec.restarts = static_cast<int>(random.below(9));
  spec.whole = spec.ranks_min == spec.ranks_max && random.chance(0.5);
  spec.hosts_max = static_cast<int>(random.below(3));
  const HostId host{number()};
  return {HostJoined{host, "a", 1 + static_cast<int>(random.below(8)), "10.0.0.7", {7001, 7002}},
          HostCreateFailed{host, "why"},
          HostNotice{host, Time(std::chrono::nanoseconds(number())), "spot"},
          HostLost{host, "why"},
          HostReleased{host},
          JobSubmitted{id.job, spec},
          StopRequested{id.job, "stop", 15, 3, random.chance(0.5)},
          RankStarted{id, "127.0.0.1:1"},
          RankStartFailed{id, 127, "none"},
          RankReady{id, number(), Generation{number()}},
          RankSynced{id, Generation{number()}, number(), Rank{2}},
          RankFinished{id, Generation{number()}},
          RankFailed{id, "words"},
          RankExited{id, {1, 0}, kNoState, "out of memory"},
          TimerExpired{},
          ShardWritten{id,
                       Generation{number()},
                       number(),
                       1,
                       3,
                       {number(), number()},
                       {"j/shards/x", number(), 7, {{0, 1, 2, 3}, {1, 0, number(), 9}}}},
          ShardFailed{id, number(), "disk full"},
          TermOpened{id.job, number(), Term{number()}, {Term{number()}, number()}, "damaged"},
          TermFailed{id.job, number(), "why"},
          CheckpointCommitted{id.job, Term{number()}, number()},
          CheckpointFailed{id.job, number(), "why"}};
}

TEST(Wire, EveryEventSurvivesTheWay) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const auto events = some_events(random);
    ASSERT_EQ(events.size(), std::variant_size_v<Event>);
    for (const Event& event : events) {
      const std::string bytes = to_wire(event).SerializeAsString();
      wire::Event message;
      ASSERT_TRUE(message.ParseFromString(bytes));
      const auto back = from_wire(message);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(back->index(), event.index());
      EXPECT_EQ(to_wire(*back).SerializeAsString(), bytes) << event_name(event);
    }
  }
}

TEST(Wire, WhatNoRightProgramSaysIsRefused) {
  EXPECT_FALSE(from_wire(wire::Event()));
  wire::Event joined;
  joined.mutable_host_joined()->set_host(1);
  EXPECT_FALSE(from_wire(joined));  // no slots
  joined.mutable_host_joined()->set_slots(1);
  EXPECT_TRUE(from_wire(joined));
  joined.mutable_host_joined()->add_ports(70'000);
  EXPECT_FALSE(from_wire(joined));
  wire::Event submitted;
  submitted.mutable_job_submitted()->mutable_spec()->set_ranks_min(3);
  EXPECT_FALSE(from_wire(submitted));
}

TEST(Wire, APieceOfOutputHasItsPlace) {
  wire::FromAgent::Output message;
  message.set_job(3);
  message.set_offset(100);
  message.set_first(40);
  message.set_data("words");
  message.set_last(true);
  const auto piece = from_wire(message);
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->job, JobId{3});
  EXPECT_EQ(piece->offset, 100);
  EXPECT_EQ(piece->first, 40);
  EXPECT_EQ(piece->data, "words");
  EXPECT_TRUE(piece->last);
  message.set_first(101);  // it has dropped what it sends
  EXPECT_FALSE(from_wire(message));
  message.set_first(-1);
  EXPECT_FALSE(from_wire(message));
  message.set_first(0);
  message.set_offset(std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(from_wire(message));
  message.set_offset(0);
  message.set_data(std::string(kOutputPieceMax + 1, 'x'));
  EXPECT_FALSE(from_wire(message));
}

TEST(Wire, RandomBytesNeverReachTheCore) {
  Random random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random.below(60), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    wire::FromAgent::Output output;
    if (output.ParseFromString(bytes)) {
      const auto piece = from_wire(output);
      if (piece) {
        EXPECT_LE(piece->first, piece->offset);
      }
    }
    wire::Event message;
    if (!message.ParseFromString(bytes)) continue;
    const auto event = from_wire(message);
    if (event) {
      EXPECT_LT(event->index(), std::variant_size_v<Event>);
    }
  }
}

TEST(Wire, ATableKeepsItsAgeAcrossClocks) {
  FormGeneration action;
  action.table.generation = Generation{3};
  action.table.since = Time(std::chrono::seconds(100));
  action.table.members = {{{JobId{1}, Rank{0}, Incarnation{4}}, HostId{2}, "h:1"}};
  action.table.lost = {Rank{1}};
  const auto message = to_wire(action, Time(std::chrono::seconds(101)));
  const auto table = table_of(message.form_generation(), Time(std::chrono::seconds(7)));
  EXPECT_EQ(table.since, Time(std::chrono::seconds(6)));
  EXPECT_EQ(table.members.at(0).endpoint, "h:1");
  EXPECT_EQ(table.lost.size(), 1u);
}

}  // namespace
}  // namespace ringmaster::jobs

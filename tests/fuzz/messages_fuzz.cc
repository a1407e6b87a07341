// SPDX-License-Identifier: Apache-2.0
//
// Packets between a rank and its agent: a packet that is accepted is the one way to say what it
// says.
#include "base/check.h"
#include "tests/fuzz/target.h"
#include "worker/messages.h"

namespace ringmaster::fuzz {

namespace {

void run(std::string_view input) {
  const auto message = worker::decode(input);
  if (!message) {
    CHECK(!message.error().message.empty());
    return;
  }
  CHECK_LE(input.size(), worker::kPacketMax);
  CHECK(worker::encode(*message) == input);
  const auto* form = std::get_if<worker::FormMessage>(&*message);
  if (form == nullptr) return;
  CHECK_LT(form->position, form->numbers.size());
  CHECK_EQ(form->hosts.size(), form->endpoints.size());
}

/// A packet that names `count` ranks and holds the numbers of as many, all zero, and no reason.
std::string form_of(std::uint32_t count) {
  worker::FormMessage form;
  form.numbers.resize(count);
  return worker::encode(form);
}

}  // namespace

Target messages_target() {
  using namespace worker;
  return {
      "messages",
      {encode(JoinMessage{-1}), encode(JoinMessage{400}),
       encode(FormMessage{.generation = 2,
                          .since_ns = 123456789,
                          .position = 1,
                          .joined = 1,
                          .lost = 1,
                          .cpus = 2,
                          .numbers = {0, 2, 3},
                          .reason = "rank 1 lost: killed by signal 9 (SIGKILL)"}),
       encode(FormMessage{.generation = 3,
                          .position = 2,
                          .numbers = {0, 1, 2},
                          .endpoints = {"10.0.0.1:1", "10.0.0.1:2", "[::1]:3"},
                          .secret = "key",
                          .hosts = {7, 7, 9}}),
       encode(SyncedMessage{2, 400, 3}), encode(ReachedMessage{200}), encode(FinishedMessage{7}),
       encode(FailedMessage{"out of memory"}),
       encode(StagedMessage{3, 40, 1, 4, {8, 0, 4096}, "no room"}),
       encode(RestoreMessage{40, {8, 0, 4096}}), form_of(kRanksMax), form_of(kRanksMax + 1), ""},
      &run,
      10000};
}

}  // namespace ringmaster::fuzz

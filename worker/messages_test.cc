// SPDX-License-Identifier: Apache-2.0
#include "worker/messages.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::worker {
namespace {

std::vector<Message> examples() {
  return {JoinMessage{41},
          FormMessage{3,
                      123456789,
                      1,
                      1,
                      2,
                      2,
                      {0, 2, 3},
                      "rank 1 lost",
                      {"127.0.0.1:1", "10.0.0.2:77", "[::1]:3"},
                      "key",
                      {1, 4, 4},
                      500},
          SyncedMessage{3, 40, 2},
          ReachedMessage{200},
          FinishedMessage{9},
          FailedMessage{"data: not there"},
          StagedMessage{3, 40, 1, 4, {8, 0, 4096}, "no room"},
          RestoreMessage{40, {8, 0, 4096}}};
}

TEST(Messages, ComeBackAsTheyWereSent) {
  for (const Message& message : examples()) {
    const std::string packet = encode(message);
    auto back = decode(packet);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->index(), message.index());
    EXPECT_EQ(encode(*back), packet);
  }
  auto form = decode(encode(examples()[1]));
  EXPECT_EQ(std::get<FormMessage>(*form).numbers, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(std::get<FormMessage>(*form).reason, "rank 1 lost");
  EXPECT_EQ(std::get<FormMessage>(*form).endpoints.at(2), "[::1]:3");
  EXPECT_EQ(std::get<FormMessage>(*form).hosts, (std::vector<std::uint32_t>{1, 4, 4}));
}

TEST(Messages, ALongTextIsCut) {
  auto back = decode(encode(FailedMessage{std::string(100000, 'x')}));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(std::get<FailedMessage>(*back).text.size(), kTextMax);
}

TEST(Messages, MoreRanksThanThereCanBeAreRefused) {
  FormMessage form;
  form.numbers.resize(kRanksMax);
  EXPECT_TRUE(decode(encode(form)).ok());
  // 4,097 are announced; the number of the last would be taken for the length of the reason.
  form.numbers.resize(kRanksMax + 1);
  EXPECT_FALSE(decode(encode(form).substr(0, encode(form).size() - 12)).ok());
}

TEST(Messages, AnyBytesAreDecodedOrRefused) {
  Random random(1);
  int refused = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const auto all = examples();
    std::string packet = encode(all[random.below(all.size())]);
    const std::uint64_t edits = random.below(4);
    for (std::uint64_t edit = 0; edit <= edits; ++edit) {
      if (random.below(3) == 0) packet.resize(random.below(packet.size() + 8));
      if (!packet.empty()) packet[random.below(packet.size())] = static_cast<char>(random.next());
    }
    auto back = decode(packet);
    refused += back ? 0 : 1;
    if (back) {
      EXPECT_EQ(encode(*back), packet);
    }
  }
  EXPECT_LT(1000, refused);
}

}  // namespace
}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
//
// A session that saves and restores, with this test in the place of its agent.
#include "worker/elastic_session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "worker/packet.h"

namespace ringmaster::worker {
namespace {

/// The agent's end, and the environment that a rank of it finds.
class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    agent_.reset(ends[0]);
    auto segment = collectives::Segment::create(1);
    ASSERT_TRUE(segment.ok());
    segment_.emplace(std::move(*segment));
    ::setenv(kSocketVariable, fmt::format("{}", ends[1]).c_str(), 1);
    ::setenv(kSegmentVariable, fmt::format("{}", segment_->fd()).c_str(), 1);
    ::setenv(kRankVariable, "0", 1);
    auto session = ElasticSession::open();
    ASSERT_TRUE(session.ok()) << session.error().message;
    session_ = std::move(*session);
    weights_.resize(3 << 20);
    std::iota(weights_.begin(), weights_.end(), static_cast<unsigned char>(1));
    ASSERT_TRUE(session_->add_state(weights_.data(), weights_.size()).ok());
    ASSERT_TRUE(session_->add_state(&cursor_, sizeof cursor_).ok());
  }
  void TearDown() override {
    for (const char* name : {kSocketVariable, kSegmentVariable, kRankVariable}) ::unsetenv(name);
  }

  void say(const Message& message, int fd = -1) {
    const std::string packet = encode(message);
    ASSERT_LT(0, send_packet(agent_.get(), packet, fd, 0));
  }
  /// The next message, and what came along.
  template <class T>
  T hear(FileDescriptor* came = nullptr) {
    std::array<char, kPacketMax> bytes;
    FileDescriptor fd;
    const auto size = receive_packet(agent_.get(), bytes.data(), bytes.size(), fd, MSG_DONTWAIT);
    auto message = size > 0 ? decode({bytes.data(), static_cast<std::size_t>(size)})
                            : Result<Message>(Error{Errc::closed, "nothing was said"});
    if (came != nullptr) *came = std::move(fd);
    const bool right = message && std::holds_alternative<T>(*message);
    EXPECT_TRUE(right);
    return right ? std::get<T>(*message) : T{};
  }
  void join(std::int64_t save_every, Duration save_period = Duration::zero()) {
    say(FormMessage{.generation = 7,
                    .numbers = {0},
                    .save_every = save_every,
                    .save_period_ns = save_period.count()});
    const auto joined = session_->join();
    ASSERT_TRUE(joined.ok()) << joined.error().message;
    hear<JoinMessage>();
    hear<SyncedMessage>();
  }

  FileDescriptor agent_;
  std::optional<collectives::Segment> segment_;
  std::unique_ptr<ElasticSession> session_;
  std::vector<unsigned char> weights_;
  std::int64_t cursor_ = 5;
};

TEST_F(SessionTest, AStepThatIsSavedComesAsACopy) {
  join(2);
  ASSERT_TRUE(session_->step_finished().ok());
  const auto before = weights_;
  ASSERT_TRUE(session_->step_finished().ok());
  weights_[0] = 99;  // the next step changes the state, and not what was saved
  FileDescriptor fd;
  const auto staged = hear<StagedMessage>(&fd);
  EXPECT_EQ(staged.generation, 7);
  EXPECT_EQ(staged.steps, 2);
  EXPECT_EQ(staged.blocks, (std::vector<std::uint64_t>{weights_.size(), sizeof cursor_}));
  auto memory = StagedMemory::adopt(std::move(fd), weights_.size() + sizeof cursor_);
  ASSERT_TRUE(memory.ok()) << memory.error().message;
  EXPECT_EQ(std::memcmp(memory->data(), before.data(), before.size()), 0);
  EXPECT_EQ(std::memcmp(memory->data() + before.size(), &cursor_, sizeof cursor_), 0);
}

TEST_F(SessionTest, TwoSavesMayBeUnderWayAndTheThirdIsSkippedWithItsReason) {
  join(1);
  std::vector<FileDescriptor> held(2);
  for (FileDescriptor& fd : held) {
    ASSERT_TRUE(session_->step_finished().ok());
    EXPECT_EQ(hear<StagedMessage>(&fd).why, "");
  }
  ASSERT_TRUE(session_->step_finished().ok());
  FileDescriptor none;
  EXPECT_EQ(hear<StagedMessage>(&none).why, "the saves before it are still being written");
  EXPECT_FALSE(none.valid());
  auto memory = StagedMemory::adopt(std::move(held[0]), weights_.size() + sizeof cursor_);
  ASSERT_TRUE(memory.ok());
  memory->mark_done();
  ASSERT_TRUE(session_->step_finished().ok());
  EXPECT_EQ(hear<StagedMessage>(&none).why, "");
}

TEST_F(SessionTest, WithoutAPeriodNothingIsSaved) {
  join(0);
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(session_->step_finished().ok());
  char byte;
  EXPECT_LT(::recv(agent_.get(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST_F(SessionTest, AWishInTheControlPageIsHeardAtTheNextCheck) {
  join(1'000'000);
  ASSERT_TRUE(session_->step_finished().ok());
  segment_->slot(0).save_asked.store(1);
  ASSERT_TRUE(session_->step_finished().ok());  // gaps between checks grow at most twofold
  ASSERT_TRUE(session_->step_finished().ok());
  FileDescriptor fd;
  const auto staged = hear<StagedMessage>(&fd);
  EXPECT_EQ(staged.why, "");
  EXPECT_LE(2, staged.steps);
  EXPECT_EQ(segment_->slot(0).save_asked.load(), 0u);
}

TEST_F(SessionTest, TheEndOfTheWorkIsSavedUnlessItWas) {
  join(2);
  for (int step = 0; step < 3; ++step) ASSERT_TRUE(session_->step_finished().ok());
  FileDescriptor second, last;
  EXPECT_EQ(hear<StagedMessage>(&second).steps, 2);
  ASSERT_TRUE(session_->finish().ok());
  EXPECT_EQ(hear<StagedMessage>(&last).steps, 3);
  hear<FinishedMessage>();
  ASSERT_TRUE(session_->finish().ok());
  hear<FinishedMessage>();
}

TEST_F(SessionTest, APeriodSavesWhenItIsOver) {
  join(0, std::chrono::milliseconds(1));
  FileDescriptor fd;
  for (int step = 0; step < 8 && !fd.valid(); ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_TRUE(session_->step_finished().ok());
    char byte;
    if (::recv(agent_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0) continue;
    EXPECT_EQ(hear<StagedMessage>(&fd).why, "");
  }
  EXPECT_TRUE(fd.valid());
}

TEST_F(SessionTest, ARestoredStateIsTakenOverWithItsSteps) {
  auto memory = StagedMemory::create(weights_.size() + sizeof cursor_);
  ASSERT_TRUE(memory.ok());
  std::memset(memory->data(), 3, memory->bytes());
  say(RestoreMessage{40, {weights_.size(), sizeof cursor_}}, memory->fd());
  join(0);
  EXPECT_EQ(session_->steps(), 40);
  EXPECT_EQ(weights_, std::vector<unsigned char>(weights_.size(), 3));
  EXPECT_EQ(cursor_, 0x0303030303030303);
}

TEST_F(SessionTest, AStateThatWasSavedWithOtherPartsIsRefused) {
  auto memory = StagedMemory::create(weights_.size());
  ASSERT_TRUE(memory.ok());
  say(RestoreMessage{40, {weights_.size()}}, memory->fd());
  const auto joined = session_->join();
  ASSERT_FALSE(joined.ok());
  EXPECT_EQ(joined.error().code, Errc::mismatch);
}

TEST(Share, SharesOfAllPositionsAreTheWholeState) {
  const std::vector<std::uint64_t> blocks = {5 << 20, 0, 17, 3 << 20};
  for (std::uint32_t members = 1; members <= 7; ++members) {
    std::uint64_t bytes = 0;
    for (std::uint32_t position = 0; position < members; ++position) {
      bytes += bytes_of(share_of(blocks, position, members));
    }
    EXPECT_EQ(bytes, std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}));
  }
}

TEST(StagedMemoryTest, WhatIsNoSuchMemoryIsRefused) {
  auto memory = StagedMemory::create(100);
  ASSERT_TRUE(memory.ok());
  EXPECT_FALSE(StagedMemory::adopt(FileDescriptor(), 100).ok());
  EXPECT_FALSE(StagedMemory::adopt(FileDescriptor(::dup(memory->fd())), 101).ok());
  EXPECT_TRUE(StagedMemory::adopt(FileDescriptor(::dup(memory->fd())), 100).ok());
  EXPECT_NE(::ftruncate(memory->fd(), 10), 0);  // sealed
}

}  // namespace
}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/outgoing_log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/random.h"
#include "jobs/coordinator/host_logs.h"

namespace ringmaster::launcher {
namespace {

TEST(OutgoingLog, SendsEachByteOnceAndTheEndOnce) {
  OutgoingLog log;
  EXPECT_FALSE(log.next(100));
  log.grow(250);
  const auto one = log.next(100);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->offset, 0);
  EXPECT_EQ(one->size, 100);
  EXPECT_FALSE(one->last);
  EXPECT_EQ(log.next(100)->offset, 100);
  EXPECT_EQ(log.in_flight(), 200);
  EXPECT_TRUE(log.take(100, false));
  EXPECT_FALSE(log.take(100, false));  // said again: it has come no further
  EXPECT_EQ(log.first(), 100);
  log.close();
  const auto last = log.next(100);
  EXPECT_EQ(last->size, 50);
  EXPECT_TRUE(last->last);
  EXPECT_FALSE(log.next(100));
  EXPECT_TRUE(log.take(200, false));
  EXPECT_TRUE(log.waits_for_answer());
  EXPECT_EQ(log.in_flight(), 50);
  EXPECT_TRUE(log.take(250, true));
  EXPECT_TRUE(log.complete());
  EXPECT_FALSE(log.waits_for_answer());
}

TEST(OutgoingLog, AnEndWithoutAByteIsSaid) {
  OutgoingLog log;
  log.close();
  const auto last = log.next(100);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->size, 0);
  EXPECT_TRUE(last->last);
  EXPECT_FALSE(log.next(100));
  log.rewind();
  EXPECT_TRUE(log.next(100)->last);
}

TEST(OutgoingLog, WhatWasOnTheWayIsSentAgain) {
  OutgoingLog log;
  log.grow(300);
  log.next(200);
  log.take(50, false);
  log.rewind();
  EXPECT_EQ(log.in_flight(), 0);
  EXPECT_EQ(log.next(200)->offset, 50);
}

TEST(OutgoingLog, WhatIsGoneIsPassedOver) {
  OutgoingLog log;
  log.grow(1000);
  log.next(100);
  log.drop(600);
  EXPECT_EQ(log.first(), 600);
  EXPECT_EQ(log.next(100)->offset, 600);
  log.take(100, false);  // of what was on its way
  EXPECT_EQ(log.first(), 600);
  EXPECT_EQ(log.in_flight(), 100);
  // Dropping makes no room: what nobody answers stays on the way.
  log.drop(900);
  EXPECT_EQ(log.in_flight(), 100);
  log.take(700, false);
  EXPECT_EQ(log.in_flight(), 0);
}

/// An agent's side and a coordinator's, on a line that loses what it likes.
class Line {
 public:
  Line(std::uint64_t seed, bool drops) : random_(seed), drops_(drops) {
    folder_ = std::filesystem::temp_directory_path() / "ringmaster-line-XXXXXX";
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    restart();
    logs_->expect(kKey, "a");
  }
  ~Line() { std::filesystem::remove_all(folder_); }

  void run() {
    for (int turn = 0; turn < 2000 && !log_.complete(); ++turn) {
      if (turn < 1000) grow();
      if (turn == 1000) log_.close();
      const bool calm = turn >= 1000;  // in the end all gets through
      while (log_.in_flight() < 60) {
        const auto piece = log_.next(20);
        if (!piece) break;
        sent_.push_back({*piece, log_.first()});
      }
      if (!sent_.empty() && (calm || random_.chance(0.7))) deliver();
      if (!answers_.empty() && (calm || random_.chance(0.7))) answer();
      if (!calm && random_.chance(0.05)) restart();
      if (random_.chance(calm ? 0.2 : 0.05)) reconnect();
      if (!calm && drops_ && random_.chance(0.02)) drop();
    }
    EXPECT_TRUE(log_.complete());
  }

  /// Bytes that were written and are not in the coordinator's files, all others being right.
  std::int64_t missing() const {
    std::int64_t found = 0;
    for (const auto& stream : jobs::list_log_streams(folder_ + "/3")) {
      for (const auto& part : stream.parts) {
        std::ostringstream text;
        text << std::ifstream(part.path, std::ios::binary).rdbuf();
        const auto size = static_cast<std::int64_t>(text.str().size());
        EXPECT_EQ(text.str(), content(part.start, size));
        found += size;
      }
    }
    return log_.end() - found;
  }
  std::int64_t dropped() const { return dropped_; }

 private:
  static constexpr jobs::HostLogs::Key kKey{jobs::JobId{3}, jobs::HostId{5}};
  struct Sent {
    OutgoingLog::Piece piece;
    std::int64_t first = 0;
  };
  static std::string content(std::int64_t offset, std::int64_t size) {
    std::string text;
    for (std::int64_t at = offset; at < offset + size; ++at) {
      text += static_cast<char>('!' + at * 7 % 89);
    }
    return text;
  }
  void grow() {
    if (random_.chance(0.5)) log_.grow(log_.end() + static_cast<std::int64_t>(random_.below(40)));
  }
  void drop() {
    const std::int64_t before = log_.first();
    log_.drop(before + (log_.end() - before) / 2);
    dropped_ += log_.first() - before;
  }
  void deliver() {
    const auto [piece, first] = sent_.front();
    sent_.pop_front();
    const std::string data = content(piece.offset, piece.size);
    answers_.push_back(logs_->take(kKey.host, {kKey.job, piece.offset, first, data, piece.last}));
  }
  void answer() {
    log_.take(answers_.front().offset, answers_.front().complete);
    answers_.pop_front();
  }
  void reconnect() {  // what is on its way is lost, or comes late
    if (random_.chance(0.7)) sent_.clear();
    if (random_.chance(0.7)) answers_.clear();
    log_.rewind();
  }
  void restart() {
    logs_ = std::make_unique<jobs::HostLogs>(
        folder_, [](const std::string&) {}, jobs::HostLogs::Bounds{1000, 1 << 20});
    logs_->find_again([](jobs::HostId) { return false; });
  }

  Random random_;
  bool drops_;
  std::string folder_;
  std::unique_ptr<jobs::HostLogs> logs_;
  OutgoingLog log_;
  std::deque<Sent> sent_;
  std::deque<jobs::HostLogs::Taken> answers_;
  std::int64_t dropped_ = 0;
};

TEST(OutgoingLog, EveryByteArrivesOnceOverALineThatLosesMessages) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Line line(seed, false);
    line.run();
    EXPECT_EQ(line.missing(), 0);
  }
}

TEST(OutgoingLog, OnlyWhatWasDroppedIsMissing) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Line line(seed, true);
    line.run();
    EXPECT_LE(line.missing(), line.dropped());
  }
}

}  // namespace
}  // namespace ringmaster::launcher

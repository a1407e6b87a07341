// SPDX-License-Identifier: Apache-2.0
#include "launcher/input/input_feed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <string>

#include "base/file_descriptor.h"

namespace ringmaster::launcher {
namespace {

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    out.reset(ends[0]);
    in.reset(ends[1]);
    ::fcntl(in.get(), F_SETPIPE_SZ, 1 << 20);
  }
  FileDescriptor out, in;
};

/// A feed for all of some ranks, and what a process of each would hold.
struct Fed {
  Fed() { std::signal(SIGPIPE, SIG_IGN); }
  FileDescriptor start(int rank) {
    const auto fd = feed.give(rank);
    EXPECT_TRUE(fd);
    FileDescriptor own(::fcntl(*fd, F_DUPFD_CLOEXEC, 3));
    ::fcntl(own.get(), F_SETFL, O_NONBLOCK);
    return own;
  }
  void put(const std::string& bytes) {
    EXPECT_EQ(::write(source.in.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void run() {
    loop.restart();
    loop.run_for(std::chrono::milliseconds(20));
  }
  static std::string take(const FileDescriptor& from, std::size_t most = 1 << 20) {
    std::string text(most, '\0');
    const ssize_t size = ::read(from.get(), text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return size == 0 ? "end" : text;
  }
  Pipe source;
  boost::asio::io_context loop;
  InputFeed feed{loop, {true, std::nullopt}, source.out.get()};
};

TEST(InputFeed, AllGetEveryByteAndTheEnd) {
  Fed fed;
  const FileDescriptor one = fed.start(0), two = fed.start(1);
  fed.put("hello\n");
  fed.run();
  EXPECT_EQ(Fed::take(one), "hello\n");
  EXPECT_EQ(Fed::take(two), "hello\n");
  fed.put("more");
  fed.source.in.reset();
  fed.run();
  EXPECT_EQ(Fed::take(one), "more");
  EXPECT_EQ(Fed::take(one), "end");
  EXPECT_EQ(Fed::take(two), "more");
  EXPECT_EQ(Fed::take(two), "end");
}

TEST(InputFeed, TheSlowestHoldsTheOthersBack) {
  Fed fed;
  const FileDescriptor one = fed.start(0), two = fed.start(1);
  ::fcntl(two.get(), F_SETPIPE_SZ, 4096);
  fed.put(std::string(400000, 'x'));
  fed.run();
  std::size_t taken = 0;
  for (std::string got = Fed::take(one); !got.empty(); got = Fed::take(one)) {
    taken += got.size();
    fed.run();
  }
  EXPECT_EQ(taken, InputFeed::kPieceMax) << "no more than a piece ahead";
  std::size_t slow = 0;
  for (int round = 0; round < 300 && slow < 400000; ++round) {
    slow += Fed::take(two).size();
    taken += Fed::take(one).size();
    fed.loop.restart();
    fed.loop.run_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(slow, 400000u);
  EXPECT_EQ(taken + Fed::take(one).size(), 400000u);
}

TEST(InputFeed, WhoHasClosedItsInputIsNotWaitedFor) {
  Fed fed;
  const FileDescriptor one = fed.start(0);
  FileDescriptor two = fed.start(1);
  fed.run();
  two.reset();
  std::size_t taken = 0;
  fed.put(std::string(300000, 'x'));
  for (int round = 0; round < 300 && taken < 300000; ++round) {
    fed.loop.restart();
    fed.loop.run_for(std::chrono::milliseconds(1));
    taken += Fed::take(one).size();
  }
  EXPECT_EQ(taken, 300000u);
}

TEST(InputFeed, AProcessThatTakesAnothersPlaceGoesOn) {
  Fed fed;
  FileDescriptor first = fed.start(0);
  fed.put("one ");
  fed.run();
  EXPECT_EQ(Fed::take(first), "one ");
  first.reset();
  fed.put("two ");
  fed.run();
  const FileDescriptor second = fed.start(0);
  fed.put("three");
  fed.run();
  EXPECT_EQ(Fed::take(second), "two three");
}

TEST(InputFeed, OneRankGetsAPipeItselfAndTheOthersNothing) {
  Pipe source;
  boost::asio::io_context loop;
  InputFeed feed(loop, {false, 2}, source.out.get());
  EXPECT_EQ(*feed.give(2), source.out.get());
  EXPECT_EQ(*feed.give(0), -1);
  InputFeed none(loop, {false, std::nullopt}, source.out.get());
  EXPECT_EQ(*none.give(0), -1);
}

TEST(InputWish, IsAllNoneOrARank) {
  EXPECT_TRUE(parse_input_wish("all", 4)->all);
  EXPECT_EQ(parse_input_wish("none", 4)->rank, std::nullopt);
  EXPECT_EQ(parse_input_wish("3", 4)->rank, 3);
  EXPECT_EQ(parse_input_wish("4", 4).error().message,
            "--stdin 4: there is no rank 4, they are 0 to 3");
  for (const char* text : {"", "-1", "1x", "some", "99999999999"}) {
    EXPECT_FALSE(parse_input_wish(text, 4)) << text;
  }
}

}  // namespace
}  // namespace ringmaster::launcher

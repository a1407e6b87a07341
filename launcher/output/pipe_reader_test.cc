// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/pipe_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <optional>
#include <string>

#include "launcher/output/sink.h"

namespace ringmaster::launcher {
namespace {

/// A rank's pipe, a reader, a sink, and the pipe that stands for our own output.
class PipeReaderTest : public ::testing::Test {
 protected:
  explicit PipeReaderTest(bool eager = true) {
    make_pipe(rank_out_, rank_in_);
    make_pipe(our_out_, our_in_);
    EXPECT_EQ(::fcntl(our_out_.get(), F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(::fcntl(rank_in_.get(), F_SETFL, O_NONBLOCK), 0);
    auto sink = Sink::open(loop_, our_in_.get(), "output", nullptr);
    EXPECT_TRUE(sink.ok());
    sink_.emplace(std::move(*sink));
    reader_.emplace(loop_, std::move(rank_out_),
                    std::vector<Output>{{&*sink_, LineSplitter("[2] "), eager}},
                    [this] { ++ends_; });
  }

  static void make_pipe(FileDescriptor& out, FileDescriptor& in) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    out.reset(ends[0]);
    in.reset(ends[1]);
  }

  /// The rank writes; false when its pipe is full.
  bool rank_writes(std::string_view bytes) {
    const ssize_t size = ::write(rank_in_.get(), bytes.data(), bytes.size());
    return size == static_cast<ssize_t>(bytes.size());
  }

  std::string read_output() const {
    std::string all;
    char buffer[8192];
    ssize_t size = 0;
    while ((size = ::read(our_out_.get(), buffer, sizeof buffer)) > 0)
      all.append(buffer, static_cast<std::size_t>(size));
    return all;
  }

  boost::asio::io_context loop_;
  FileDescriptor rank_out_, rank_in_, our_out_, our_in_;
  std::optional<Sink> sink_;
  std::optional<PipeReader> reader_;
  int ends_ = 0;
};

TEST_F(PipeReaderTest, gives_whole_lines_on_with_their_prefix) {
  EXPECT_TRUE(rank_writes("one\ntwo\nthr"));
  loop_.poll();
  EXPECT_EQ(read_output(), "[2] one\n[2] two\n");
  EXPECT_TRUE(rank_writes("ee\n"));
  loop_.poll();
  EXPECT_EQ(read_output(), "[2] three\n");
}

TEST_F(PipeReaderTest, a_partial_line_goes_out_after_a_while) {
  EXPECT_TRUE(rank_writes("name? "));
  std::string output;
  while (output.empty()) {  // the flush timer is all that can end this
    loop_.run_one();
    output = read_output();
  }
  EXPECT_EQ(output, "[2] name? ");
  EXPECT_TRUE(rank_writes("thanks\n"));
  loop_.poll();
  EXPECT_EQ(read_output(), "thanks\n");
}

/// Nobody watches.
class UnwatchedReaderTest : public PipeReaderTest {
 protected:
  UnwatchedReaderTest() : PipeReaderTest(false) {}
};

TEST_F(UnwatchedReaderTest, a_partial_line_waits_for_its_end) {
  EXPECT_TRUE(rank_writes("one\ntwo "));
  loop_.run_for(3 * PipeReader::kFlushAfter);
  EXPECT_EQ(read_output(), "[2] one\n");
  EXPECT_TRUE(rank_writes("parts\nrest"));
  rank_in_.reset();
  loop_.run();
  EXPECT_EQ(read_output(), "[2] two parts\n[2] rest");
}

TEST_F(PipeReaderTest, the_end_of_the_pipe_flushes_and_is_said_once) {
  EXPECT_TRUE(rank_writes("one\nrest"));
  rank_in_.reset();
  loop_.run();
  EXPECT_EQ(read_output(), "[2] one\n[2] rest");
  EXPECT_EQ(ends_, 1);
  EXPECT_TRUE(reader_->ended());
  reader_->drain();
  loop_.restart();
  loop_.run();
  EXPECT_EQ(ends_, 1);
}

TEST_F(PipeReaderTest, drain_ends_though_a_grandchild_holds_the_pipe) {
  loop_.poll();
  EXPECT_TRUE(rank_writes("last words\nand a rest"));
  reader_->drain();
  loop_.run();  // rank_in_ is still open: only the drain can end the loop
  EXPECT_EQ(read_output(), "[2] last words\n[2] and a rest");
  EXPECT_EQ(ends_, 1);
  errno = 0;
  EXPECT_FALSE(rank_writes("x"));
  EXPECT_EQ(errno, EPIPE) << "the grandchild's pipe is closed";
}

TEST_F(PipeReaderTest, drain_of_an_empty_pipe_ends) {
  reader_->drain();
  loop_.run();
  EXPECT_EQ(ends_, 1);
  EXPECT_EQ(read_output(), "");
}

/// Fills everything between the rank and a reader of ours that does not read.
std::string fill(boost::asio::io_context& loop,
                 const std::function<bool(std::string_view)>& write) {
  std::string written;
  for (int idle = 0; idle < 3; ++idle) {
    for (std::size_t i = 0;; ++i) {
      const std::string line = std::to_string(i) + std::string(90, 'y') + "\n";
      if (!write(line)) break;
      written += "[2] " + line;
      idle = 0;
    }
    loop.poll();
  }
  return written;
}

TEST_F(PipeReaderTest, a_slow_reader_holds_the_rank_back_and_loses_nothing) {
  const std::string expected =
      fill(loop_, [this](std::string_view line) { return rank_writes(line); });
  EXPECT_TRUE(sink_->full());
  EXPECT_LE(expected.size(), Sink::kQueueMax + (1U << 20)) << "it stopped: memory is bounded";
  rank_in_.reset();
  std::string output;
  while (output.size() < expected.size()) {
    output += read_output();
    loop_.poll();
  }
  loop_.run();
  EXPECT_TRUE(output == expected);
  EXPECT_EQ(ends_, 1);
}

TEST_F(PipeReaderTest, drain_waits_for_a_slow_reader_too) {
  const std::string expected =
      fill(loop_, [this](std::string_view line) { return rank_writes(line); });
  reader_->drain();
  loop_.poll();
  EXPECT_EQ(ends_, 0);
  std::string output;
  while (output.size() < expected.size()) {
    output += read_output();
    loop_.poll();
  }
  loop_.run();
  EXPECT_TRUE(output == expected);
  EXPECT_EQ(ends_, 1);
}

TEST_F(PipeReaderTest, may_be_destroyed_at_any_time) {
  EXPECT_TRUE(rank_writes("partial"));
  loop_.poll();
  reader_.reset();
  loop_.run();
  EXPECT_EQ(ends_, 0);
  EXPECT_EQ(read_output(), "");
}

TEST_F(PipeReaderTest, on_end_may_destroy_the_reader) {
  FileDescriptor out, in;
  make_pipe(out, in);
  std::optional<PipeReader> own;
  own.emplace(loop_, std::move(out), std::vector<Output>{{&*sink_, LineSplitter()}},
              [&] { own.reset(); });
  in.reset();
  while (own) loop_.run_one();
  EXPECT_EQ(read_output(), "");
}

}  // namespace
}  // namespace ringmaster::launcher

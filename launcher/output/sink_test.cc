// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace ringmaster::launcher {
namespace {

struct PipeEnds {
  FileDescriptor read;
  FileDescriptor write;
};

PipeEnds make_pipe() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

PipeEnds make_sockets() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// The write end is the terminal, raw, so that bytes arrive as they are.
PipeEnds make_terminal() {
  FileDescriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  EXPECT_EQ(::grantpt(master.get()), 0);
  EXPECT_EQ(::unlockpt(master.get()), 0);
  FileDescriptor terminal_end(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  EXPECT_EQ(std::system(("stty raw -echo < " + std::string(::ptsname(master.get()))).c_str()), 0);
  return {std::move(master), std::move(terminal_end)};
}

std::string line_of(std::size_t number) {
  return std::to_string(number) + std::string(number % 3000, 'x') + "\n";
}

std::string read_portion(int fd, std::size_t most) {
  std::string bytes(most, '\0');
  const ssize_t size = ::read(fd, bytes.data(), most);
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

/// A rank that writes as much as it may and a reader that takes a little at a time: nothing is
/// lost, nothing blocks, and what is held stays below the limit and one line.
void expect_nothing_lost(const PipeEnds& ends) {
  boost::asio::io_context loop;
  auto sink = Sink::open(loop, ends.write.get(), "output",
                         [](const Error& error) { FAIL() << error.message; });
  ASSERT_TRUE(sink.ok()) << sink.error().message;
  ASSERT_EQ(::fcntl(ends.read.get(), F_SETFL, O_NONBLOCK), 0);
  const int flags = ::fcntl(ends.write.get(), F_GETFL);
  EXPECT_EQ(flags & O_NONBLOCK, 0) << "the open file that others share is as it was";

  constexpr std::size_t kLines = 2000;
  std::string expected, received;
  std::size_t next = 0, rooms = 0, fulls = 0;
  while (next < kLines || received.size() < expected.size()) {
    for (; next < kLines && !sink->full(); ++next) {
      expected += line_of(next);
      sink->write(line_of(next));
    }
    if (sink->full()) {
      ++fulls;
      sink->when_room([&] { ++rooms; });
    }
    loop.poll();
    received += read_portion(ends.read.get(), 5000);
    ASSERT_LE(expected.size() - received.size(), Sink::kQueueMax + 3010 + (1U << 20));
    loop.poll();
  }
  loop.poll();
  EXPECT_TRUE(received == expected);
  EXPECT_TRUE(sink->drained());
  EXPECT_LT(0U, fulls);
  EXPECT_EQ(rooms, fulls) << "who waits for room is called once";
  EXPECT_EQ(::fcntl(ends.write.get(), F_GETFL), flags);
}

TEST(Sink, a_slow_pipe_loses_nothing) {
  expect_nothing_lost(make_pipe());
}
TEST(Sink, a_slow_socket_loses_nothing) {
  expect_nothing_lost(make_sockets());
}
TEST(Sink, a_slow_terminal_loses_nothing) {
  expect_nothing_lost(make_terminal());
}

TEST(Sink, a_pipe_that_cannot_be_opened_anew_loses_nothing) {
  const PipeEnds ends = make_pipe();
  ASSERT_EQ(::fchmod(ends.write.get(), 0), 0);
  const uid_t user = ::geteuid();
  const uid_t nobody = 65534;
  ASSERT_EQ(::seteuid(user == 0 ? nobody : user), 0);  // root may open anything
  EXPECT_LT(::open(("/proc/self/fd/" + std::to_string(ends.write.get())).c_str(), O_WRONLY), 0);
  expect_nothing_lost(ends);
  ASSERT_EQ(::seteuid(user), 0);
}

TEST(Sink, a_file_is_written_at_once) {
  char path[] = "/tmp/sink_test_XXXXXX";
  const FileDescriptor file(::mkstemp(path));
  boost::asio::io_context loop;
  auto sink = Sink::open(loop, file.get(), "log", nullptr);
  ASSERT_TRUE(sink.ok());
  const std::string large(3 * Sink::kQueueMax, 'x');
  sink->write("a\n");
  sink->write(large);
  EXPECT_TRUE(sink->drained());
  EXPECT_FALSE(sink->full());
  EXPECT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  EXPECT_TRUE(read_portion(file.get(), large.size() + 10) == "a\n" + large);
  ::unlink(path);
}

/// Writes until the sink says what is wrong; more writing says nothing more.
std::vector<Error> errors_of(int fd) {
  boost::asio::io_context loop;
  std::vector<Error> errors;
  auto sink =
      Sink::open(loop, fd, "standard output", [&](const Error& error) { errors.push_back(error); });
  EXPECT_TRUE(sink.ok());
  bool room = false;
  sink->write("a\n");
  sink->write(std::string(2 * Sink::kQueueMax, 'b'));
  sink->when_room([&] { room = true; });
  loop.run();
  sink->write("c\n");
  loop.restart();
  loop.run();
  EXPECT_TRUE(sink->drained()) << "nothing is held for a reader that is gone";
  EXPECT_TRUE(room);
  return errors;
}

TEST(Sink, a_full_disk_is_said_once) {
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const auto errors = errors_of(full.get());
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].code, Errc::exhausted);
  EXPECT_EQ(errors[0].message, "standard output: No space left on device");
}

TEST(Sink, a_reader_that_is_gone_is_said_once) {
  for (auto make : {make_pipe, make_sockets}) {
    PipeEnds ends = make();
    ends.read.reset();
    const auto errors = errors_of(ends.write.get());
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].code, Errc::closed);
    EXPECT_EQ(errors[0].message, "standard output: Broken pipe");
  }
}

TEST(Sink, a_reader_that_goes_while_bytes_wait_is_said_once) {
  PipeEnds ends = make_pipe();
  boost::asio::io_context loop;
  int errors = 0;
  auto sink = Sink::open(loop, ends.write.get(), "output", [&](const Error&) { ++errors; });
  ASSERT_TRUE(sink.ok());
  while (!sink->full()) sink->write(line_of(2999));
  loop.poll();
  EXPECT_EQ(errors, 0);
  ends.read.reset();
  loop.restart();
  loop.run();
  EXPECT_EQ(errors, 1);
  EXPECT_TRUE(sink->drained());
}

TEST(Sink, a_closed_descriptor_is_an_error) {
  boost::asio::io_context loop;
  const auto sink = Sink::open(loop, 987, "standard output", nullptr);
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().message, "standard output: Bad file descriptor");
}

TEST(Sink, no_callback_comes_after_its_end) {
  PipeEnds ends = make_pipe();
  boost::asio::io_context loop;
  {
    auto sink = Sink::open(loop, ends.write.get(), "output", [](const Error&) { FAIL(); });
    ASSERT_TRUE(sink.ok());
    while (!sink->full()) sink->write(line_of(2999));
    sink->when_room([] { FAIL(); });
    ends.read.reset();
  }
  loop.run();
}

TEST(SameTarget, knows_two_ways_to_one_pipe) {
  const PipeEnds one = make_pipe(), other = make_pipe();
  const FileDescriptor copy(::dup(one.write.get()));
  EXPECT_TRUE(same_target(one.write.get(), copy.get()));
  EXPECT_FALSE(same_target(one.write.get(), other.write.get()));
  EXPECT_FALSE(same_target(one.write.get(), 987));
}

}  // namespace
}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// What a rank that was killed held of the job's shared memory is free again while the job goes on.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>

#include "base/time.h"
#include "collectives/shm/segment.h"
#include "tests/end_to_end/program.h"

namespace ringmaster::tests {
namespace {

using collectives::Segment;

constexpr std::uint64_t kHeldBytes = 200 * 1024 * 1024;  // more than is given back at once

/// The job's shared memory as the process has it open.
std::optional<Segment> segment_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  DIR* open_files = ::opendir(folder.c_str());
  if (open_files == nullptr) return {};
  std::optional<Segment> found;
  while (const dirent* entry = ::readdir(open_files)) {
    const std::string path = folder + "/" + entry->d_name;
    std::array<char, 64> target{};
    if (::readlink(path.c_str(), target.data(), target.size() - 1) < 0) continue;
    if (std::string_view(target.data()).find("memfd:ringmaster") == std::string_view::npos)
      continue;
    const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    auto attached = Segment::attach(fd.get());
    if (attached) found = std::move(*attached);
  }
  ::closedir(open_files);
  return found;
}

/// Bytes of the rank's arena that hold something.
std::uint64_t held_by(const Segment& segment, int number) {
  const auto begin = static_cast<off_t>(segment.arena_offset(number));
  const off_t end = begin + static_cast<off_t>(segment.arena_bytes());
  std::uint64_t bytes = 0;
  for (off_t at = begin; at < end;) {
    const off_t data = ::lseek(segment.fd(), at, SEEK_DATA);
    if (data < 0 || data >= end) break;
    const off_t hole = std::min(::lseek(segment.fd(), data, SEEK_HOLE), end);
    bytes += static_cast<std::uint64_t>(hole - data);
    at = hole;
  }
  return bytes;
}

TEST(ArenaMemory, OfAKilledRankIsGivenBack) {
  Program program({"ringrun", "-np", "2", "--elastic", "1:2", "--restarts", "0",
                   built("hold-memory"), std::to_string(kHeldBytes)});
  ASSERT_TRUE(program.wait_for_output("holds memory\n", 2)) << program.error();
  const auto segment = segment_of(program.child());
  ASSERT_TRUE(segment);
  EXPECT_LE(kHeldBytes, held_by(*segment, 0));
  EXPECT_LE(kHeldBytes, held_by(*segment, 1));
  ASSERT_EQ(kill(program.pid_of_rank(1), SIGKILL), 0);
  const Time until = read_clock() + std::chrono::seconds(30);
  while (held_by(*segment, 1) > 0 && read_clock() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(held_by(*segment, 1), 0U);
  EXPECT_LE(kHeldBytes, held_by(*segment, 0)) << "the survivor keeps its own";
  program.signal(SIGTERM);
  EXPECT_FALSE(program.wait().timed_out);
  EXPECT_TRUE(program.leaves_nothing());
}

}  // namespace
}  // namespace ringmaster::tests

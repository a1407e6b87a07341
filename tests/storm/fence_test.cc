// SPDX-License-Identifier: Apache-2.0
//
// A rank that was stopped in the middle of an all-reduce and voted out writes nothing into the
// memory of the survivors once it is fenced. That it would, were it only let go on, is shown as
// well: else the first half could never fail.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/shm/shm_communicator.h"
#include "tests/storm/settings.h"

namespace ringmaster::storm {
namespace {

using collectives::Arena;
using collectives::Segment;
using collectives::ShmCommunicator;

constexpr std::size_t kFloats = 1024 * 1024;
constexpr std::uint64_t kTries = kSanitized ? 8 : 20;
constexpr std::uint64_t kTriesToSee = 100;  // most of them show it
constexpr std::byte kPattern{0x77};

/// All-reduces memory that both see, until the generation ends.
Error reduce_until_it_ends(const Segment& segment, Arena& arena, int position, float* in,
                           float* out) {
  ShmCommunicator ring(segment, {1, {0, 1}, position, 2}, &arena);
  ring.set_timeout(std::chrono::seconds(60));
  for (;;) {
    auto end = ring.all_reduce(in, out, kFloats, RINGMASTER_FLOAT32, RINGMASTER_SUM);
    if (!end) return end.error();
  }
}

float* allocate_floats(Arena& arena) {
  auto memory = arena.allocate(kFloats * sizeof(float));
  CHECK(memory.ok());
  return static_cast<float*>(*memory);
}

pid_t fork_other(const Segment& segment) {
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid != 0) return pid;
  Arena arena(&segment, 1);
  reduce_until_it_ends(segment, arena, 1, allocate_floats(arena), allocate_floats(arena));
  _exit(0);
}

void fence(pid_t pid) {
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  ASSERT_EQ(waitpid(pid, nullptr, 0), pid);
}

/// Whether the survivor's output changed after it was voted out that the other is lost.
bool is_written_after(bool fenced, std::uint64_t seed) {
  auto segment = Segment::create(2);
  CHECK(segment.ok());
  segment->reset();
  const pid_t other = fork_other(*segment);
  Arena arena(&*segment, 0);
  float *in = allocate_floats(arena), *out = allocate_floats(arena);
  std::thread agent([&] {
    Random random(seed);
    std::this_thread::sleep_for(std::chrono::microseconds(3000 + random.below(4000)));
    EXPECT_EQ(kill(other, SIGSTOP), 0);
    segment->abort(1);
  });
  const Error end = reduce_until_it_ends(*segment, arena, 0, in, out);
  agent.join();
  EXPECT_EQ(end.code, Errc::generation_changed) << end.message;
  if (fenced) fence(other);
  auto* bytes = reinterpret_cast<std::byte*>(out);
  std::memset(bytes, static_cast<int>(kPattern), kFloats * sizeof(float));
  if (fenced) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } else {
    EXPECT_EQ(kill(other, SIGCONT), 0);
    EXPECT_EQ(waitpid(other, nullptr, 0), other);  // it hears of the end, and ends
  }
  return !std::all_of(bytes, bytes + kFloats * sizeof(float),
                      [](std::byte b) { return b == kPattern; });
}

TEST(Fence, WhoIsVotedOutWritesNowhere) {
  for (std::uint64_t turn = 0; turn < kTries; ++turn) EXPECT_FALSE(is_written_after(true, turn));
  bool seen = false;
  for (std::uint64_t turn = 0; turn < kTriesToSee && !seen; ++turn) {
    seen = is_written_after(false, turn);
  }
  EXPECT_TRUE(seen) << "this test would not see a write";
}

}  // namespace
}  // namespace ringmaster::storm

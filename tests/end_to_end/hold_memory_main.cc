// SPDX-License-Identifier: Apache-2.0
//
// hold-memory BYTES: each rank holds so much memory that all ranks of its host see, and goes on
// with small steps until it is stopped.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "worker/session.h"

using ringmaster::Result;
using ringmaster::worker::Communicator;
using ringmaster::worker::Session;

int main(int count, char** arguments) {
  const std::size_t bytes = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 0;
  auto session = Session::open();
  if (!session) return std::fprintf(stderr, "%s\n", session.error().message.c_str()), 1;
  bool held = false;
  const auto end = session->run(1'000'000, [&](Communicator& ring, std::int64_t) -> Result<void> {
    if (!held) {
      auto memory = ring.allocate<std::byte>(bytes);
      if (!memory) return memory.error();
      std::memset(*memory, 1, bytes);
      held = true;
      std::printf("holds memory\n");
      std::fflush(stdout);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ring.barrier();
  });
  if (!end) return std::fprintf(stderr, "%s\n", end.error().message.c_str()), 1;
  return 0;
}

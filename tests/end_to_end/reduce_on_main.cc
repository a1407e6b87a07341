// SPDX-License-Identifier: Apache-2.0
//
// reduce-on FILE SECONDS: each rank all-reduces large arrays, one after the other, with that
// time-out, and writes into the file what each of its generations ended with. It is done after some
// steps in a generation that is not its job's first.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/time.h"
#include "worker/session.h"

namespace {

using ringmaster::Errc;
using ringmaster::Result;
using ringmaster::worker::Session;

constexpr std::size_t kCount = 1 << 20;  // float32: on its way for milliseconds
constexpr int kSteps = 20, kOnTheWay = 3;

/// Lines of many ranks in one file: each is one write.
void say(const char* path, const std::string& line) {
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, line.data(), line.size()) < 0) std::perror(path);
  if (fd >= 0) close(fd);
}

/// Steps until something fails, or it is done.
Result<void> live(Session& session, double timeout, double* last_took,
                  const std::function<void()>& on_the_way) {
  auto ring = session.communicator();
  auto end = ring.set_timeout(std::chrono::duration<double>(timeout));
  std::vector<float> data(kCount, 1);
  for (int step = 0; end && (session.generation().generation == 1 || step < kSteps); ++step) {
    const ringmaster::Time begin = ringmaster::read_clock();
    end = ring.all_reduce(data, RINGMASTER_MAX);
    *last_took = ringmaster::to_seconds(ringmaster::read_clock() - begin);
    if (end) end = session.step_finished();
    if (end && step == kOnTheWay) on_the_way();
  }
  return end ? session.finish() : end;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: reduce-on FILE SECONDS\n"), 2;
  auto session = Session::open();
  if (!session) return std::fprintf(stderr, "%s\n", session.error().message.c_str()), 1;
  for (;;) {
    auto end = session->join();
    if (!end) return std::fprintf(stderr, "%s\n", end.error().message.c_str()), 1;
    const auto generation = session->generation();
    const std::string name = "generation " + std::to_string(generation.generation) + ", rank " +
                             std::to_string(generation.rank) + " of " +
                             std::to_string(generation.size);
    say(arguments[1], name + " begins\n");
    double took = 0;
    end = live(*session, std::strtod(arguments[2], nullptr), &took,
               [&] { say(arguments[1], name + " goes on\n"); });
    const bool changed = !end && end.error().code == Errc::generation_changed;
    const std::string how = end ? "done" : changed ? "changed" : "failed: " + end.error().message;
    say(arguments[1], name + " after " + std::to_string(took) + " s: " + how + "\n");
    if (!changed) return end ? 0 : 1;
  }
}

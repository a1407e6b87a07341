// SPDX-License-Identifier: Apache-2.0
//
// Measures all-reduces of float32 sums between ranks that are started by hand, each with its
// position and the endpoints of all: for namespaces and hosts without a launcher on them
// (scripts/bench-network). The loop is that of allreduce.c: in every iteration each rank rewrites
// its input and reads its output, inside the timing.
//
//     network-rank POSITION ENDPOINT,ENDPOINT,.. LEAST_BYTES MOST_BYTES MILLISECONDS [CHOICE]
//
// Position 0 prints a JSON line for each power of two. CHOICE as in RINGMASTER_ALGORITHM.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "collectives/tcp/address.h"
#include "collectives/tcp/tcp_communicator.h"

namespace {

using namespace ringmaster;
using namespace ringmaster::collectives;

template <class T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "network-rank: {}\n", result.error().message);
  std::exit(1);
}

void need(const Result<void>& result) {
  if (result) return;
  fmt::print(stderr, "network-rank: {}\n", result.error().message);
  std::exit(1);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) all.push_back(word);
  return all;
}

struct Loop {
  TcpCommunicator& ring;
  std::vector<float> in, out;
  std::vector<double> alone = {};

  void sum(std::size_t count) {
    need(ring.all_reduce(in.data(), out.data(), count, RINGMASTER_FLOAT32, RINGMASTER_SUM));
  }

  /// Microseconds.
  double iterate(std::size_t count, int turn) {
    const Time begin = read_clock();
    for (std::size_t i = 0; i < count; ++i)
      in[i] = static_cast<float>(turn + static_cast<int>(i & 7));
    const Time called = read_clock();
    sum(count);
    alone.push_back(to_seconds(read_clock() - called) * 1e6);
    volatile float read = 0;
    for (std::size_t i = 0; i < count; i += 16) read = read + out[i];
    return to_seconds(read_clock() - begin) * 1e6;
  }

  void measure(std::size_t bytes, double budget_us) {
    constexpr double kIterationsMost = 20000, kIterationsLeast = 5;
    const std::size_t count = bytes / sizeof(float);
    double warm = 1;
    for (int turn = 0; turn < 3; ++turn) warm = iterate(count, turn);
    // All ranks need the same number of iterations: position 0's.
    in[0] = static_cast<float>(ring.position() == 0 ? budget_us / warm : 0);
    sum(1);
    const auto iterations = static_cast<int>(
        std::clamp<double>(static_cast<double>(out[0]), kIterationsLeast, kIterationsMost));
    std::vector<double> times;
    alone.clear();
    for (int turn = 0; turn < iterations; ++turn) times.push_back(iterate(count, turn));
    if (ring.position() != 0) return;
    std::sort(times.begin(), times.end());
    std::sort(alone.begin(), alone.end());
    const std::size_t half = times.size() / 2, late = (times.size() - 1) * 99 / 100;
    fmt::print(
        "{{\"bytes\":{},\"iterations\":{},\"median_us\":{:.3f},\"p99_us\":{:.3f},"
        "\"alone_us\":{:.3f}}}\n",
        bytes, iterations, times[half], times[late], alone[half]);
    std::fflush(stdout);
  }
};

}  // namespace

int main(int count, char** values) {
  if (count < 6) {
    fmt::print(stderr, "usage: network-rank POSITION ENDPOINTS LEAST MOST MILLISECONDS [CHOICE]\n");
    return 2;
  }
  TcpMembership membership;
  membership.position = std::atoi(values[1]);
  membership.endpoints = split(values[2]);
  membership.secret = "of a benchmark";
  const auto endpoint = membership.endpoints[static_cast<std::size_t>(membership.position)];
  FileDescriptor fd = need(listen_on(endpoint));
  TcpListener listener = need(TcpListener::adopt(fd.release()));
  const Segment segment = need(Segment::create(1));
  TcpCommunicator ring(listener, membership, {segment, -1});
  if (count > 6) ring.set_choice(need(schedules::parse_choice(values[6])));
  const std::size_t least = std::strtoull(values[3], nullptr, 10);
  const std::size_t most = std::strtoull(values[4], nullptr, 10);
  Loop loop{ring, std::vector<float>(most / sizeof(float)),
            std::vector<float>(most / sizeof(float))};
  need(ring.connect());
  for (std::size_t bytes = least; bytes <= most; bytes *= 2) {
    loop.measure(bytes, std::atof(values[5]) * 1e3);
  }
  return 0;
}

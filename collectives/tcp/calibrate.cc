// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/calibrate.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/check.h"
#include "collectives/reduce.h"
#include "collectives/tcp/frame.h"

namespace ringmaster::collectives {

namespace {

constexpr std::int64_t kTimesLeast = 3, kTimesMost = 1000;
constexpr std::size_t kGatherLeast = 16 * 1024, kGatherMost = 64 << 20;  // bytes of all ranks

using Once = std::function<Result<void>()>;

double median_of(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

double seconds_since(Time begin) {
  return to_seconds(read_clock() - begin);
}

/// Position 0's number, on all.
template <class Number>
Result<void> tell(Communicator& ring, Number* number) {
  return ring.broadcast(number, sizeof(Number), RINGMASTER_UINT8, 0);
}

/// The median of as many times as position 0 finds the effort to be good for.
Result<double> time_of(Communicator& ring, Duration effort, const Once& once) {
  std::int64_t times = 0;
  for (int warm = 0; warm < 2; ++warm) {
    const Time begin = read_clock();
    if (auto end = once(); !end) return end.error();
    times = static_cast<std::int64_t>(to_seconds(effort) / seconds_since(begin));
  }
  times = std::clamp(times, kTimesLeast, kTimesMost);
  if (auto told = tell(ring, &times); !told) return told.error();
  std::vector<double> all;
  for (std::int64_t turn = 0; turn < times; ++turn) {
    const Time begin = read_clock();
    if (auto end = once(); !end) return end.error();
    all.push_back(seconds_since(begin));
  }
  return median_of(std::move(all));
}

/// Seconds a byte through a NIC.
Result<double> time_a_byte(Communicator& ring, Duration effort, double round) {
  const auto ranks = static_cast<std::size_t>(ring.size());
  std::vector<std::byte> input, output;
  for (std::size_t bytes = kGatherLeast;; bytes *= 4) {
    const std::size_t each = bytes / ranks + 1;
    input.resize(each);
    output.resize(each * ranks);
    const Once gather = [&] {
      return ring.all_gather(input.data(), output.data(), each, RINGMASTER_UINT8);
    };
    const Time begin = read_clock();
    if (auto end = gather(); !end) return end.error();
    // Four times as much takes the effort: this much is repeated.
    std::uint8_t enough = seconds_since(begin) * 8 > to_seconds(effort) || bytes >= kGatherMost;
    if (auto told = tell(ring, &enough); !told) return told.error();
    if (enough == 0) continue;
    const auto time = time_of(ring, effort, gather);
    if (!time) return time.error();
    const double rounds = static_cast<double>(ranks - 1) * round;
    // Bytes cannot take no time, however long the rounds were thought to be.
    return std::max(*time - rounds, *time / 4) / static_cast<double>(each * (ranks - 1));
  }
}

/// Seconds for each byte of an operand.
double time_a_reduced_byte(Duration effort) {
  const std::size_t count = kChunkBytes / sizeof(float);
  std::vector<float> a(count, 1), b(count, 2), sum(count);
  std::vector<double> times;
  for (const Time until = read_clock() + effort; times.size() < 3 || read_clock() < until;) {
    const Time begin = read_clock();
    reduce({a.data(), b.data()}, sum.data(), count, RINGMASTER_FLOAT32, RINGMASTER_SUM);
    times.push_back(seconds_since(begin));
  }
  return median_of(std::move(times)) / static_cast<double>(kChunkBytes);
}

}  // namespace

Result<schedules::Cost> calibrate(Communicator& ring, Duration effort) {
  CHECK(ring.size() > 1);
  const auto barrier = time_of(ring, effort, [&] { return ring.barrier(); });
  if (!barrier) return barrier.error();
  const schedules::Plan plan{schedules::Operation::barrier, schedules::Algorithm::dissemination,
                             ring.size()};
  const double round = *barrier / schedules::round_count(plan);
  const auto byte = time_a_byte(ring, effort, round);
  if (!byte) return byte.error();
  schedules::Cost cost{round * 1e6, *byte * 1e9, time_a_reduced_byte(effort) * 1e9};
  if (auto told = tell(ring, &cost); !told) return told.error();
  return cost;
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/story.h"

#include <fmt/format.h>

namespace ringmaster::storm {

namespace {

using collectives::Communicator;

constexpr std::size_t kInFlightMax = 6;
constexpr Duration kFlightMax = std::chrono::seconds(120);

}  // namespace

Story::Story(Crew& crew, std::uint64_t seed, Shape shape)
    : crew_(crew),
      seed_(seed),
      shape_(std::move(shape)),
      digests_(static_cast<std::size_t>(crew.size())) {}

void Story::run() {
  crew_.run([this](Communicator& ring, collectives::Arena* arena) { live(ring, arena); });
  for (std::size_t turn = 0; turn < shape_.calls && !failed_; ++turn) {
    for (const auto& digests : digests_) {
      if (digests.at(turn) != digests_[0].at(turn)) fail(turn, "ranks hold different bits");
    }
  }
}

void Story::live(Communicator& ring, collectives::Arena* arena) {
  const int rank = ring.position();
  Random random(seed_);  // the same on all ranks
  Random own(seed_ ^ static_cast<std::uint64_t>(rank + 1) << 32);
  Memory memory(arena, own.next());
  std::deque<Flight> flights;
  std::optional<collectives::WorkQueue> queue;
  if (seed_ % 3 == 0) queue.emplace(ring);
  for (std::size_t turn = 0; turn < shape_.calls && !failed_; ++turn) {
    const Call call = draw_call(random, ring.size(), shape_.bytes_max);
    auto trial = std::make_unique<Trial>(call, rank, ring.size(), memory);
    shape_.before_call();
    if (!queue) {
      judge(rank, turn, perform(ring, trial->operation()), *trial);
      continue;
    }
    const auto started = queue->start([&operation = trial->operation()](Communicator& engine) {
      return perform(engine, operation);
    });
    if (!started) return fail(turn, started.error().message);
    flights.push_back({std::move(trial), *started, turn});
    // Each rank waits when it likes: for all, or until few enough are on their way.
    const std::size_t most = own.chance(0.2) ? 0 : kInFlightMax;
    while (flights.size() > most && !failed_) land(rank, flights);
  }
  while (!flights.empty() && !failed_) land(rank, flights);
  queue.reset();  // before the arrays go that it may still use
  if (crew_.apart() && !failed_) gather_digests(ring);
}

void Story::gather_digests(Communicator& ring) {
  const auto& own = digests_[static_cast<std::size_t>(ring.position())];
  std::vector<std::uint64_t> all(own.size() * digests_.size());
  const auto end = ring.all_gather(own.data(), all.data(), own.size(), RINGMASTER_INT64);
  if (!end) return fail(shape_.calls - 1, end.error().message);
  for (std::size_t rank = 0; rank < digests_.size(); ++rank) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * shape_.calls);
    digests_[rank].assign(begin, begin + static_cast<std::ptrdiff_t>(shape_.calls));
  }
}

void Story::land(int rank, std::deque<Flight>& flights) {
  const Flight flight = std::move(flights.front());
  flights.pop_front();
  if (!flight.work->wait(kFlightMax)) return fail(flight.turn, "it has not ended");
  judge(rank, flight.turn, flight.work->result(), *flight.trial);
}

void Story::judge(int rank, std::size_t turn, const Result<void>& end, Trial& trial) {
  const bool judged = turn % digests_.size() == static_cast<std::size_t>(rank);
  const std::string wrong = end ? trial.verdict(judged) : end.error().message;
  if (!wrong.empty()) return fail(turn, fmt::format("rank {}: {}", rank, wrong));
  auto& digests = digests_[static_cast<std::size_t>(rank)];
  CHECK_EQ(digests.size(), turn);
  digests.push_back(trial.digest());
}

void Story::fail(std::size_t turn, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (failed_.exchange(true)) return;  // what follows is its echo
  found_ = fmt::format("{} ranks, call {}: {}\n", crew_.size(), turn, what);
  Random random(seed_);
  for (std::size_t i = 0; i <= turn; ++i) {
    found_ +=
        fmt::format("{:3} {}\n", i, text_of(draw_call(random, crew_.size(), shape_.bytes_max)));
  }
  crew_.abort();
}

}  // namespace ringmaster::storm

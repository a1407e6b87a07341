// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/coordinator_load.h"

#include <fmt/format.h>

#include <csignal>

#include "base/check.h"

namespace ringmaster::launcher {

namespace {

constexpr int kSlots = 1'000'000;
constexpr int kRestarts = 1'000'000'000;
constexpr jobs::HostId kLoadHost{1};

}  // namespace

void CoordinatorLoad::step(const jobs::Event& event) {
  now_ += std::chrono::microseconds(1);
  step_(now_, event);
}

void CoordinatorLoad::add_host() {
  step(jobs::HostJoined{kLoadHost, "large", kSlots});
}

void CoordinatorLoad::lose_host() {
  step(jobs::HostLost{kLoadHost, "the benchmark is over"});
}

jobs::JobId CoordinatorLoad::start_job() {
  const jobs::JobId id{++jobs_};
  jobs::JobSpec spec;
  spec.name = fmt::format("load-{}", id.value);
  spec.ranks_max = kRanks;
  spec.restarts = kRestarts;
  step(jobs::JobSubmitted{id, spec});
  const auto ranks = job(id).ranks;
  for (const auto& rank : ranks) step(jobs::RankStarted{rank.id, "10.0.0.1:7000"});
  for (const auto& rank : ranks) step(jobs::RankReady{rank.id, jobs::kNoState, {}});
  const jobs::Generation first = job(id).table.generation;
  CHECK_EQ(first.value, 1);
  for (const auto& rank : ranks) step(jobs::RankSynced{rank.id, first, 0, jobs::Rank{0}});
  return id;
}

void CoordinatorLoad::heal(jobs::JobId id) {
  const jobs::RankId stays = job(id).ranks[0].id;
  step(jobs::RankExited{job(id).ranks[1].id, {0, SIGKILL}, 1});
  step(jobs::RankReady{stays, 1, job(id).table.generation});
  const jobs::RankId joins = job(id).ranks[1].id;
  step(jobs::RankStarted{joins, "10.0.0.1:7001"});
  step(jobs::RankReady{joins, jobs::kNoState, {}});
  step(jobs::RankReady{stays, 1, job(id).table.generation});
  const jobs::Generation healed = job(id).table.generation;
  CHECK_EQ(job(id).table.members.size(), std::size_t{kRanks});
  step(jobs::RankSynced{stays, healed, 1, stays.rank});
  step(jobs::RankSynced{joins, healed, 1, stays.rank});
}

void CoordinatorLoad::finish(jobs::JobId id) {
  const auto ranks = job(id).ranks;
  const jobs::Generation last = job(id).table.generation;
  for (const auto& rank : ranks) step(jobs::RankFinished{rank.id, last});
  for (const auto& rank : ranks) step(jobs::RankExited{rank.id, {0, 0}, 1});
}

}  // namespace ringmaster::launcher

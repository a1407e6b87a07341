// SPDX-License-Identifier: Apache-2.0
#include "worker/engines.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/hierarchical/hierarchical_communicator.h"
#include "collectives/shm/shm_communicator.h"
#include "collectives/tcp/tcp_communicator.h"

namespace ringmaster::worker {

namespace {

/// The ranks of this rank's host, in the order of positions.
collectives::ShmMembership on_this_host(const FormMessage& form) {
  collectives::ShmMembership membership;
  membership.generation = form.generation;
  membership.cpus = static_cast<int>(form.cpus);
  for (std::size_t position = 0; position < form.numbers.size(); ++position) {
    if (!form.hosts.empty() && form.hosts[position] != form.hosts[form.position]) continue;
    if (position == form.position)
      membership.position = static_cast<int>(membership.numbers.size());
    membership.numbers.push_back(static_cast<int>(form.numbers[position]));
  }
  return membership;
}

bool one_rank_a_host(const FormMessage& form) {
  auto hosts = form.hosts;
  std::sort(hosts.begin(), hosts.end());
  return std::adjacent_find(hosts.begin(), hosts.end()) == hosts.end();
}

}  // namespace

Result<RankEngines> RankEngines::open(const RankContract& contract) {
  auto segment = collectives::Segment::attach(contract.segment_fd);
  if (!segment) return segment.error();
  if (contract.rank >= segment->capacity()) {
    return Error{Errc::invalid, fmt::format("{}={}: the job has room for {} ranks", kRankVariable,
                                            contract.rank, segment->capacity())};
  }
  RankEngines engines(std::move(*segment), contract.abort_fd);
  if (contract.listener_fd >= 0) {
    auto adopted = collectives::TcpListener::adopt(contract.listener_fd);
    if (!adopted) return adopted.error();
    engines.listener_ = std::move(*adopted);
  }
  const auto choice = collectives::schedules::parse_choice(contract.algorithm);
  if (!choice) {
    return Error{Errc::invalid,
                 fmt::format("{}={}: {}; see ringmaster schedule --help", kAlgorithmVariable,
                             contract.algorithm, choice.error().message)};
  }
  engines.choice_ = *choice;
  engines.algorithm_ = contract.algorithm;
  return engines;
}

Result<std::unique_ptr<collectives::Communicator>> RankEngines::make(const FormMessage& form,
                                                                     collectives::Arena* arena) {
  if (!form.endpoints.empty()) return make_between_hosts(form);
  kept_.keep_only({});  // those that they lead to are lost
  return std::unique_ptr<collectives::Communicator>(
      std::make_unique<collectives::ShmCommunicator>(segment_, on_this_host(form), arena));
}

Result<std::unique_ptr<collectives::Communicator>> RankEngines::make_between_hosts(
    const FormMessage& form) {
  if (!listener_) {
    return Error{Errc::corrupt, "a generation over several hosts for a rank without a listener"};
  }
  // Ranks that would choose differently are kept apart like those of another job: they would wait
  // for frames that nobody sends.
  const std::string secret = form.secret + algorithm_;
  collectives::TcpMembership membership{form.generation, static_cast<int>(form.position),
                                        form.endpoints, form.secret.empty() ? "" : secret,
                                        std::vector<int>(form.numbers.begin(), form.numbers.end())};
  const collectives::Abort abort{segment_, abort_fd_};
  if (one_rank_a_host(form)) {
    auto made =
        std::make_unique<collectives::TcpCommunicator>(*listener_, membership, abort, &kept_);
    made->set_choice(choice_);
    return std::unique_ptr<collectives::Communicator>(std::move(made));
  }
  auto local = std::make_unique<collectives::ShmCommunicator>(segment_, on_this_host(form));
  auto mesh = std::make_shared<collectives::Mesh>(*listener_, membership, abort, &kept_);
  auto made = std::make_unique<collectives::HierarchicalCommunicator>(
      std::move(local), std::move(mesh), std::vector<int>(form.hosts.begin(), form.hosts.end()));
  made->set_choice(choice_);
  return std::unique_ptr<collectives::Communicator>(std::move(made));
}

}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/mesh.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::collectives {

Mesh::Mesh(TcpListener& listener, TcpMembership membership, Abort abort, KeptLinks* kept)
    : listener_(listener),
      membership_(std::move(membership)),
      alarm_(abort, membership_.generation),
      kept_(kept) {
  CHECK(membership_.position >= 0 && membership_.position < size());
  if (membership_.numbers.empty()) {
    for (int position = 0; position < size(); ++position) membership_.numbers.push_back(position);
  }
  CHECK_EQ(membership_.numbers.size(), membership_.endpoints.size());
  // Who is in this generation no more is heard no more, from here on.
  if (kept_ != nullptr) kept_->keep_only(membership_.endpoints);
}

Mesh::~Mesh() {
  wait_until_settled();
  if (kept_ == nullptr) return;
  for (auto& [peer, link] : links_) kept_->put(endpoint(peer), std::move(link));
  for (auto& [peer, reunion] : reunions_) kept_->put(endpoint(peer), reunion.take());
}

void Mesh::wait_until_settled() {
  const Time until = read_clock() + kSettleMax;
  while (!alarm_.raised() && read_clock() < until) {
    bool settled = true;
    for (const auto& [peer, link] : links_) settled = settled && link->settled();
    if (settled) return;
    std::vector<pollfd> none;
    alarm_.sleep(none, std::chrono::milliseconds(1));
  }
}

Result<void> Mesh::want(int peer) {
  CHECK(peer >= 0 && peer < size() && peer != membership_.position);
  const auto own = static_cast<std::uint32_t>(membership_.position);
  if (!open_) {
    if (membership_.secret.empty()) return Error{Errc::invalid, "the job has no secret"};
    listener_.open({membership_.generation, own, membership_.secret});
    open_ = true;
  }
  if (links_.contains(peer) || connectors_.contains(peer) || reunions_.contains(peer)) return {};
  if (auto link = kept_ == nullptr ? nullptr : kept_->take(endpoint(peer))) {
    reunions_.emplace(peer, Reunion(std::move(link), peer, membership_.generation));
    return {};
  }
  return knock(peer);
}

Result<void> Mesh::knock(int peer) {
  if (peer < membership_.position) return {};  // it comes to us
  const auto address = parse_endpoint(endpoint(peer));
  if (!address) return address.error();
  const Hello hello{membership_.generation,
                    static_cast<std::uint32_t>(membership_.position),
                    static_cast<std::uint32_t>(peer),
                    {}};
  connectors_.emplace(peer, Connector(*address, hello, membership_.secret));
  return {};
}

Link* Mesh::find(int peer) {
  const auto found = links_.find(peer);
  return found == links_.end() ? nullptr : found->second.get();
}

void Mesh::step(Time now) {
  listener_.step(now);
  for (const std::uint32_t from : listener_.guests()) {
    const int peer = static_cast<int>(from);
    FileDescriptor fd = listener_.take(from);
    // Who comes again has lost its first connection before anything was said, and who comes though
    // there is a kept one has not kept it.
    if (links_.contains(peer)) continue;
    reunions_.erase(peer);
    links_[peer] = std::make_unique<Link>(std::move(fd), peer);
  }
  step_reunions();
  for (auto& [peer, connector] : connectors_) {
    connector.step(now);
    if (connector.ready()) links_[peer] = std::make_unique<Link>(connector.take(), peer);
  }
  std::erase_if(connectors_, [](const auto& one) { return one.second.ready(); });
}

void Mesh::step_reunions() {
  for (auto one = reunions_.begin(); one != reunions_.end();) {
    auto& [peer, reunion] = *one;
    reunion.step();
    if (reunion.ready()) links_[peer] = reunion.take();
    // Its endpoint was good enough once.
    if (!reunion.ready() && reunion.lost()) CHECK(knock(peer).ok());
    one = reunion.ready() || reunion.lost() ? reunions_.erase(one) : std::next(one);
  }
}

void Mesh::add_to(std::vector<pollfd>& fds, Duration* at_most) const {
  listener_.add_to(fds);
  for (const auto& [peer, reunion] : reunions_) reunion.add_to(fds);
  for (const auto& [peer, connector] : connectors_) {
    connector.add_to(fds);
    const auto again = connector.next_attempt();
    if (again) *at_most = std::min(*at_most, *again - read_clock());
  }
}

std::optional<Error> Mesh::lost(const std::string& what, Duration grace) const {
  for (const auto& [peer, connector] : connectors_) {
    if (!connector.next_attempt() || !connector.failing_since()) continue;
    if (read_clock() - *connector.failing_since() < grace) continue;
    return Error{Errc::closed, fmt::format("{}: connect to rank {} ({}): {}", what, number(peer),
                                           endpoint(peer), connector.problem())};
  }
  return {};
}

}  // namespace ringmaster::collectives

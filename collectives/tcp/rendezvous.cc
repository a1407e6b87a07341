// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/tcp/connector.h"

namespace ringmaster::collectives {

namespace {

class Meeting {
 public:
  Meeting(TcpListener& listener, const TcpMembership& membership)
      : listener_(listener), membership_(membership) {}

  Result<void> open();
  bool step();  // true: both neighbours are here
  void sleep(const Alarm& alarm, Duration at_most) const;
  std::optional<Error> lost(const std::string& what, Duration grace) const;
  /// Position of a neighbour that is not here.
  int missing() const { return connector_ && !connector_->ready() ? next() : prev(); }
  Links take();

 private:
  int size() const { return static_cast<int>(membership_.endpoints.size()); }
  int next() const { return (membership_.position + 1) % size(); }
  int prev() const { return (membership_.position + size() - 1) % size(); }

  TcpListener& listener_;
  const TcpMembership& membership_;
  std::optional<Connector> connector_;
  bool accepts_ = false;
};

Result<void> Meeting::open() {
  accepts_ = size() > 2 || membership_.position == 1;
  const auto own = static_cast<std::uint32_t>(membership_.position);
  // Opened in any case: who comes early for the next generation is kept.
  listener_.open(
      {membership_.generation, static_cast<std::uint32_t>(prev()), own, membership_.secret});
  if (size() == 2 && membership_.position == 1) return {};
  auto address = parse_endpoint(membership_.endpoints[static_cast<std::size_t>(next())]);
  if (!address) return address.error();
  const Hello hello{membership_.generation, own, static_cast<std::uint32_t>(next()), {}};
  connector_.emplace(*address, hello, membership_.secret);
  return {};
}

bool Meeting::step() {
  const Time now = read_clock();
  listener_.step(now);
  if (connector_) connector_->step(now);
  return (!accepts_ || listener_.has_guest()) && (!connector_ || connector_->ready());
}

void Meeting::sleep(const Alarm& alarm, Duration at_most) const {
  std::vector<pollfd> fds;
  listener_.add_to(fds);
  if (connector_) {
    connector_->add_to(fds);
    const auto again = connector_->next_attempt();
    if (again) at_most = std::min(at_most, *again - read_clock());
  }
  alarm.sleep(fds, at_most);
}

std::optional<Error> Meeting::lost(const std::string& what, Duration grace) const {
  if (!connector_ || !connector_->next_attempt() || !connector_->failing_since()) return {};
  if (read_clock() - *connector_->failing_since() < grace) return {};
  const auto peer = static_cast<std::size_t>(next());
  return Error{Errc::closed,
               fmt::format("{}: connect to rank {} ({}): {}", what, membership_.numbers[peer],
                           membership_.endpoints[peer], connector_->problem())};
}

Links Meeting::take() {
  Links links;
  if (connector_) links.next = std::make_unique<Link>(connector_->take(), next());
  if (accepts_) links.prev = std::make_unique<Link>(listener_.take(), prev());
  return links;
}

}  // namespace

Result<Links> meet(TcpListener& listener, const TcpMembership& membership, const Alarm& alarm,
                   const std::string& what, Duration timeout, Duration grace) {
  Meeting meeting(listener, membership);
  auto opened = meeting.open();
  if (!opened) return opened.error();
  const Time until = read_clock() + timeout;
  for (;;) {
    if (alarm.raised())
      return Error{Errc::generation_changed, what + ": the generation has changed"};
    if (meeting.step()) return meeting.take();
    if (auto lost = meeting.lost(what, grace)) return *lost;
    const Duration left = until - read_clock();
    if (left <= Duration{0}) {
      const auto rank = membership.numbers[static_cast<std::size_t>(meeting.missing())];
      return Error{Errc::timed_out, fmt::format("{}: rank {} has not called it for {:.0f} s", what,
                                                rank, to_seconds(timeout))};
    }
    meeting.sleep(alarm, left);
  }
}

}  // namespace ringmaster::collectives

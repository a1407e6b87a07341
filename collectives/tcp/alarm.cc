// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/alarm.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace ringmaster::collectives {

namespace {

constexpr Duration kSliceWithEvent = std::chrono::milliseconds(50);
constexpr Duration kSliceWithout = std::chrono::milliseconds(1);

}  // namespace

Alarm::Alarm(Abort abort, std::int64_t generation) : abort_(abort), generation_(generation) {
  if (abort_.fd < 0) return;
  // Reading it empty must not block, whoever else has read it.
  const int flags = fcntl(abort_.fd, F_GETFL);
  CHECK(flags >= 0 && fcntl(abort_.fd, F_SETFL, flags | O_NONBLOCK) == 0);
}

void Alarm::sleep(std::vector<pollfd>& fds, Duration at_most) const {
  const Duration slice = abort_.fd < 0 ? kSliceWithout : kSliceWithEvent;
  const Duration limit = std::clamp(at_most, Duration{0}, slice);
  // Rounded up: the last part of a millisecond is slept, not spun.
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
  if (abort_.fd >= 0) fds.push_back({abort_.fd, POLLIN, 0});
  const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(ms));
  if (ready <= 0 || abort_.fd < 0 || fds.back().revents == 0 || raised()) return;
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(abort_.fd, &count, sizeof(count));
}

}  // namespace ringmaster::collectives

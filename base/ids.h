// SPDX-License-Identifier: Apache-2.0
//
// Id<Tag>: an integer that cannot be mixed up with another kind of integer. Each folder names its
// own ids (jobs/core/ids.h); this file holds no domain word.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace ringmaster {

template <class Tag>
struct Id {
  std::int64_t value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Id& id) { return out << id.value; }
};

}  // namespace ringmaster

// SPDX-License-Identifier: Apache-2.0
//
// Connections that outlive a generation. A mesh puts its own here when it ends, and the next one
// takes out those to ranks that are still in it; the others are closed before it does anything.
//
// A rank is known by its endpoint, which is its own for its whole life; its position, and in time
// its number, may be another's.
//
// Kept is only what has little on its way. A frame that is half out would need an array that the
// program may have freed; and behind much that is unsent a new connection is there sooner than the
// first word on this one. Either end may decide so: the other one finds the connection closed
// (reunion.h).
//
// Thread rules: one thread, that of the rank's communicators.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/tcp/link.h"

namespace ringmaster::collectives {

class KeptLinks {
 public:
  /// A millisecond of a link of half a gigabit: as long as a few round trips to the next rack.
  static constexpr std::size_t kUnsentMax = 64 * 1024;

  void put(const std::string& endpoint, std::unique_ptr<Link> link);
  /// Null: there is none.
  std::unique_ptr<Link> take(const std::string& endpoint);
  /// Closes those to others.
  void keep_only(const std::vector<std::string>& endpoints);
  std::size_t size() const { return links_.size(); }

 private:
  std::map<std::string, std::unique_ptr<Link>> links_;
};

}  // namespace ringmaster::collectives

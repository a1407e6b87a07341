// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/kept_links.h"

#include <algorithm>

#include "base/check.h"

namespace ringmaster::collectives {

void KeptLinks::put(const std::string& endpoint, std::unique_ptr<Link> link) {
  CHECK(link != nullptr);
  if (link->broken() || link->sending() || link->unsent() > kUnsentMax) return;
  links_[endpoint] = std::move(link);
}

std::unique_ptr<Link> KeptLinks::take(const std::string& endpoint) {
  const auto found = links_.find(endpoint);
  if (found == links_.end()) return nullptr;
  auto link = std::move(found->second);
  links_.erase(found);
  return link;
}

void KeptLinks::keep_only(const std::vector<std::string>& endpoints) {
  std::erase_if(links_, [&](const auto& one) {
    return std::ranges::find(endpoints, one.first) == endpoints.end();
  });
}

}  // namespace ringmaster::collectives

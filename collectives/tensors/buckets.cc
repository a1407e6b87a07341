// SPDX-License-Identifier: Apache-2.0
#include "collectives/tensors/buckets.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ringmaster::collectives {

std::vector<std::vector<std::size_t>> plan_buckets(const std::vector<ReadyTensor>& ready,
                                                   std::uint64_t bucket_bytes) {
  struct Open {
    std::size_t bucket;
    std::uint64_t bytes;
  };
  std::vector<std::vector<std::size_t>> buckets;
  std::map<std::pair<Type, Reduction>, Open> open;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const ReadyTensor& tensor = ready[i];
    const auto found = open.find({tensor.type, tensor.reduction});
    const bool fits = found != open.end() && tensor.bytes <= bucket_bytes &&
                      found->second.bytes <= bucket_bytes - tensor.bytes;
    if (fits) {
      buckets[found->second.bucket].push_back(i);
      found->second.bytes += tensor.bytes;
      continue;
    }
    open[{tensor.type, tensor.reduction}] = {buckets.size(), tensor.bytes};
    buckets.push_back({i});
  }
  for (auto& bucket : buckets) {
    std::sort(bucket.begin(), bucket.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(ready[a].address, ready[a].id) < std::pair(ready[b].address, ready[b].id);
    });
  }
  return buckets;
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/communicator.h"

#include "collectives/bytes.h"

namespace ringmaster::collectives {

Result<void> exchange_with_self(const std::vector<Transfer>& sends,
                                const std::vector<Transfer>& receives, int position) {
  std::vector<const Transfer*> own;
  for (const Transfer& one : sends) {
    if (one.peer == position) own.push_back(&one);
  }
  std::size_t taken = 0;
  for (const Transfer& one : receives) {
    if (one.peer != position) continue;
    const bool fits =
        taken < own.size() && own[taken]->count == one.count && own[taken]->type == one.type;
    if (!fits) return Error{Errc::mismatch, "exchange: a rank receives other arrays than it sends"};
    copy_bytes(one.data, own[taken++]->data, one.count * size_of(one.type));
  }
  if (taken == own.size()) return {};
  return Error{Errc::mismatch, "exchange: a rank sends itself an array that it does not receive"};
}

Result<void> Communicator::all_reduce_group(const std::vector<Reduce>& group) {
  for (const Reduce& one : group) {
    auto reduced = all_reduce(one.input, one.output, one.count, one.type, one.reduction);
    if (!reduced) return reduced;
  }
  return {};
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/async/operation.h"

namespace ringmaster::collectives {

namespace {

Result<void> perform_group(Communicator& engine, const Operation& group) {
  if (!group.reduces.empty()) {
    auto reduced = engine.all_reduce_group(group.reduces);
    if (!reduced) return reduced;
  }
  if (group.sends.empty() && group.receives.empty()) return {};
  return engine.exchange(group.sends, group.receives);
}

}  // namespace

Result<void> perform(Communicator& engine, const Operation& o) {
  switch (o.kind) {
    case Operation::Kind::all_reduce:
      return engine.all_reduce(o.input, o.output, o.count, o.type, o.reduction);
    case Operation::Kind::reduce_scatter:
      return engine.reduce_scatter(o.input, o.output, o.counts, o.type, o.reduction);
    case Operation::Kind::all_gather:
      return engine.all_gather(o.input, o.output, o.counts, o.type);
    case Operation::Kind::all_to_all:
      return engine.all_to_all(o.input, o.counts, o.output, o.take, o.type);
    case Operation::Kind::broadcast:
      return engine.broadcast(o.output, o.count, o.type, o.root);
    case Operation::Kind::barrier:
      return engine.barrier();
    case Operation::Kind::group:
      return perform_group(engine, o);
  }
  CHECK(false);
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "tests/fakes/nccl_world.h"

#include <cstring>

#include "collectives/bytes.h"
#include "collectives/nccl/nccl_library.h"
#include "collectives/reduce.h"

namespace ringmaster::fakes {
namespace {

using collectives::Reduction;
using collectives::Type;

Type our_type(int type) {
  for (int ours = RINGMASTER_FLOAT32; ours <= RINGMASTER_BFLOAT16; ++ours) {
    if (collectives::nccl_type(static_cast<Type>(ours)) == type) return static_cast<Type>(ours);
  }
  check_failed(__FILE__, __LINE__, "a type that is none of ours");
}

Reduction our_reduction(int reduction) {
  for (int ours = RINGMASTER_SUM; ours <= RINGMASTER_PRODUCT; ++ours) {
    const auto one = static_cast<Reduction>(ours);
    if (collectives::nccl_reduction(one) == reduction) return one;
  }
  check_failed(__FILE__, __LINE__, "a reduction that is none of ours");
}

bool same_call(const NcclWork& a, const NcclWork& b) {
  return a.kind == b.kind && a.count == b.count && a.type == b.type && a.reduction == b.reduction &&
         a.root == b.root;
}

/// What the rank has in its output afterwards.
std::vector<std::byte> result_of(const std::vector<NcclWork>& all, std::size_t rank) {
  const NcclWork& own = all[rank];
  const Type type = our_type(own.type);
  const std::size_t bytes = own.count * collectives::size_of(type);
  std::vector<std::byte> result(bytes);
  const std::size_t skipped = own.kind == Kind::reduce_scatter ? rank * bytes : 0;
  std::vector<const void*> inputs;
  for (const NcclWork& one : all) inputs.push_back(collectives::at(one.input, skipped));
  switch (own.kind) {
    case Kind::reduce:
      if (static_cast<std::size_t>(own.root) != rank) return {};
      [[fallthrough]];
    case Kind::all_reduce:
    case Kind::reduce_scatter:
      collectives::reduce(inputs, result.data(), own.count, type, our_reduction(own.reduction));
      return result;
    case Kind::broadcast:
      collectives::copy_bytes(result.data(), inputs[static_cast<std::size_t>(own.root)], bytes);
      return result;
    case Kind::all_gather:
      result.resize(bytes * all.size());
      for (std::size_t peer = 0; peer < all.size(); ++peer) {
        collectives::copy_bytes(result.data() + peer * bytes, inputs[peer], bytes);
      }
      return result;
    case Kind::send:
    case Kind::receive:
      break;
  }
  check_failed(__FILE__, __LINE__, "a transfer is no collective");
}

}  // namespace

StreamWork NcclWorld::join(int rank, const NcclWork& work) {
  if (work.kind == Kind::send || work.kind == Kind::receive) {
    const bool sends = work.kind == Kind::send;
    const int from = sends ? rank : work.root, to = sends ? work.root : rank;
    auto& [sent, asked] = transfers_[{from, to}];
    auto& message = messages_[{from, to, sends ? sent++ : asked++}];
    if (message == nullptr) message = std::make_shared<Message>();
    return [message, work] { return pass(*message, work); };
  }
  auto& meeting = meetings_[collectives_[index(rank)]++];
  if (meeting == nullptr) {
    meeting = std::make_shared<Meeting>();
    meeting->work.resize(index(ranks_));
    meeting->here.resize(index(ranks_));
    meeting->results.resize(index(ranks_));
  }
  return [this, meeting, rank, work, computed = false]() mutable {
    return meet(*meeting, rank, work, computed);
  };
}

/// Nobody writes before all have read: outputs may be inputs.
bool NcclWorld::meet(Meeting& meeting, int rank, const NcclWork& work, bool& computed) {
  if (!meeting.here[index(rank)]) {
    meeting.here[index(rank)] = true;
    meeting.work[index(rank)] = work;
    for (std::size_t peer = 0; peer < meeting.work.size(); ++peer) {
      if (meeting.here[peer] && !same_call(meeting.work[peer], work)) meeting.fits = false;
    }
    ++meeting.arrived;
  }
  if (!meeting.fits || meeting.arrived < ranks_) return false;
  if (!computed) {
    computed = true;
    meeting.results[index(rank)] = result_of(meeting.work, index(rank));
    ++meeting.computed;
  }
  if (meeting.computed < ranks_) return false;
  const auto& result = meeting.results[index(rank)];
  collectives::copy_bytes(work.output, result.data(), result.size());
  return true;
}

bool NcclWorld::pass(Message& message, const NcclWork& work) {
  if (work.kind == Kind::send) {
    message.send = work;
    message.sent = true;
    return message.taken;
  }
  message.receive = work;
  message.asked = true;
  const NcclWork& send = message.send;
  if (!message.sent || send.count != work.count || send.type != work.type) return false;
  collectives::copy_bytes(work.output, send.input,
                          work.count * collectives::size_of(our_type(work.type)));
  message.taken = true;
  return true;
}

}  // namespace ringmaster::fakes

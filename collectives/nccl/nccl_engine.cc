// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/nccl_engine.h"

#include <algorithm>

#include "collectives/bytes.h"

namespace ringmaster::collectives {

namespace {

/// What position 0 tells the others: NCCL's id, or why there is none.
struct NcclInvitation {
  NcclUniqueId id;
  char problem[256] = {};
};

bool are_even(const Counts& counts) {
  return std::all_of(counts.begin(), counts.end(),
                     [&](std::size_t count) { return count == counts.front(); });
}

/// The result that tells: the first that is neither success nor "not yet".
int worse_of(int first, int second) {
  const auto is_error = [](int code) { return code != kNcclSuccess && code != kNcclInProgress; };
  if (is_error(first)) return first;
  if (is_error(second)) return second;
  return first == kNcclInProgress ? first : second;
}

}  // namespace

Result<std::unique_ptr<NcclEngine>> NcclEngine::open(const NcclLibrary& nccl, GpuStream& gpu,
                                                     NarrowWire* wire, Communicator& host,
                                                     const Watch& watch) {
  NcclInvitation invitation;
  if (host.position() == 0) {
    const int code = nccl.get_unique_id(&invitation.id);
    if (code != kNcclSuccess) {
      const std::string text = "ncclGetUniqueId: " + nccl.text_of(code, nullptr);
      text.copy(invitation.problem, sizeof invitation.problem - 1);
    }
  }
  auto told = host.broadcast(&invitation, sizeof invitation, RINGMASTER_UINT8, 0);
  if (!told) return told.error();
  if (invitation.problem[0] != '\0') return Error{Errc::io, invitation.problem};
  std::unique_ptr<NcclEngine> engine(new NcclEngine(nccl, gpu, wire, host.size(), host.position()));
  auto met = gpu.begin();
  if (met) met = engine->link_.connect(invitation.id, host.size(), host.position(), watch);
  if (!met) return met.error();
  return engine;
}

Result<void> NcclEngine::run(const std::function<int()>& calls, const Watch& watch) {
  CHECK(link_.alive());
  const NcclLibrary& nccl = link_.library();
  int code = nccl.group_start();
  if (code == kNcclSuccess) {
    code = calls();
    code = worse_of(code, nccl.group_end());  // a group that was begun is ended, whatever it holds
  }
  return link_.finish(code, watch);
}

Result<void> NcclEngine::all_reduce(const std::vector<Reduce>& group, const Watch& watch) {
  std::vector<Reduce> plain, narrow;
  for (const Reduce& one : group) {
    const bool cast = wire_ != nullptr && NarrowWire::fits(one.type, one.reduction);
    if (one.count > 0) (cast ? narrow : plain).push_back(one);
  }
  Result<void> step;
  if (!plain.empty()) step = run([&] { return reduce_plain(plain); }, watch);
  for (std::size_t i = 0; step && i < narrow.size(); ++i) step = reduce_narrow(narrow[i], watch);
  return step;
}

int NcclEngine::reduce_plain(const std::vector<Reduce>& group) {
  int code = kNcclSuccess;
  for (const Reduce& one : group) {
    code = worse_of(code, link_.library().all_reduce(
                              one.input, one.output, one.count, nccl_type(one.type),
                              nccl_reduction(one.reduction), link_.raw(), link_.gpu().raw()));
  }
  return code;
}

Result<void> NcclEngine::reduce_narrow(const Reduce& one, const Watch& watch) {
  const float factor =
      one.reduction == RINGMASTER_AVERAGE ? 1.0F / static_cast<float>(size_) : 1.0F;
  const auto* input = static_cast<const float*>(one.input);
  auto* output = static_cast<float*>(one.output);
  Result<void> step;
  for (std::size_t done = 0; step && done < one.count; done += NarrowWire::kPiece) {
    const std::size_t count = std::min(NarrowWire::kPiece, one.count - done);
    auto cast = wire_->narrow(link_.gpu(), input + done, count, factor);
    if (!cast) return cast.error();
    const Reduce piece{*cast, *cast, count, wire_->type(), RINGMASTER_SUM};
    step = run([&] { return reduce_plain({piece}); }, watch);
    if (step) step = wire_->widen(link_.gpu(), output + done, count);
    if (step) step = link_.finish(kNcclSuccess, watch);
  }
  return step;
}

Result<void> NcclEngine::reduce_scatter(const void* input, void* output, const Counts& counts,
                                        Type type, Reduction reduction, const Watch& watch) {
  const NcclLibrary& nccl = link_.library();
  const int op = nccl_reduction(reduction);
  return run(
      [&] {
        if (are_even(counts)) {
          return nccl.reduce_scatter(input, output, counts[0], nccl_type(type), op, link_.raw(),
                                     link_.gpu().raw());
        }
        int code = kNcclSuccess;
        for (int root = 0; root < size_; ++root) {
          const std::size_t count = counts[static_cast<std::size_t>(root)];
          const void* part = at(input, before(counts, root) * size_of(type));
          // Only the root's output is written; NCCL wants an address from the others as well.
          void* to = root == position_ ? output : const_cast<void*>(part);
          if (count == 0) continue;
          code = worse_of(code, nccl.reduce(part, to, count, nccl_type(type), op, root, link_.raw(),
                                            link_.gpu().raw()));
        }
        return code;
      },
      watch);
}

Result<void> NcclEngine::all_gather(const void* input, void* output, const Counts& counts,
                                    Type type, const Watch& watch) {
  const NcclLibrary& nccl = link_.library();
  return run(
      [&] {
        if (are_even(counts)) {
          return nccl.all_gather(input, output, counts[0], nccl_type(type), link_.raw(),
                                 link_.gpu().raw());
        }
        int code = kNcclSuccess;
        for (int root = 0; root < size_; ++root) {
          const std::size_t count = counts[static_cast<std::size_t>(root)];
          void* part = at(output, before(counts, root) * size_of(type));
          const void* from = root == position_ ? input : part;
          if (count == 0) continue;
          code = worse_of(code, nccl.broadcast(from, part, count, nccl_type(type), root,
                                               link_.raw(), link_.gpu().raw()));
        }
        return code;
      },
      watch);
}

int NcclEngine::send_and_receive(const std::vector<Transfer>& sends,
                                 const std::vector<Transfer>& receives) {
  const NcclLibrary& nccl = link_.library();
  int code = kNcclSuccess;
  for (const Transfer& one : sends) {
    if (one.count == 0) continue;
    code = worse_of(code, nccl.send(one.data, one.count, nccl_type(one.type), one.peer, link_.raw(),
                                    link_.gpu().raw()));
  }
  for (const Transfer& one : receives) {
    if (one.count == 0) continue;
    code = worse_of(code, nccl.receive(one.data, one.count, nccl_type(one.type), one.peer,
                                       link_.raw(), link_.gpu().raw()));
  }
  return code;
}

Result<void> NcclEngine::all_to_all(const void* input, const Counts& give, void* output,
                                    const Counts& take, std::size_t, Type type,
                                    const Watch& watch) {
  const std::size_t width = size_of(type), own = give[static_cast<std::size_t>(position_)];
  auto copied = link_.gpu().copy(at(output, before(take, position_) * width),
                                 at(input, before(give, position_) * width), own * width);
  if (!copied) return copied;
  std::vector<Transfer> sends, receives;
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == position_) continue;
    const auto index = static_cast<std::size_t>(peer);
    sends.push_back(
        {const_cast<std::byte*>(at(input, before(give, peer) * width)), give[index], type, peer});
    receives.push_back({at(output, before(take, peer) * width), take[index], type, peer});
  }
  return run([&] { return send_and_receive(sends, receives); }, watch);
}

Result<void> NcclEngine::exchange(const std::vector<Transfer>& sends,
                                  const std::vector<Transfer>& receives, const Watch& watch) {
  return run([&] { return send_and_receive(sends, receives); }, watch);
}

Result<void> NcclEngine::broadcast(void* data, std::size_t count, Type type, int root,
                                   bool null_somewhere, const Watch& watch) {
  if (null_somewhere) return broadcast_pieces(data, count, type, root, watch);
  return run(
      [&] {
        return link_.library().broadcast(data, data, count, nccl_type(type), root, link_.raw(),
                                         link_.gpu().raw());
      },
      watch);
}

/// All ranks cut alike, so that one without an array needs no more than the scratch buffer.
Result<void> NcclEngine::broadcast_pieces(void* data, std::size_t count, Type type, int root,
                                          const Watch& watch) {
  if (data == nullptr && !scratch_) {
    auto memory = CudaMemory::allocate(link_.gpu().cuda(), CudaMemory::Kind::device, kScratchBytes);
    if (!memory) return memory.error();
    scratch_.emplace(std::move(*memory));
  }
  const std::size_t width = size_of(type), most = kScratchBytes / width;
  for (std::size_t done = 0; done < count; done += most) {
    void* piece = data != nullptr ? at(data, done * width) : scratch_->data();
    auto sent = run(
        [&] {
          return link_.library().broadcast(piece, piece, std::min(most, count - done),
                                           nccl_type(type), root, link_.raw(), link_.gpu().raw());
        },
        watch);
    if (!sent) return sent;
  }
  return {};
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/nccl_link.h"

#include <fmt/format.h>

namespace ringmaster::collectives {

NcclLink::~NcclLink() {
  if (alive()) say_farewell();
}

/// An orderly end is NCCL's own, as long as it is short: a rank that leaves without it takes the
/// memory away that others may still read from.
void NcclLink::say_farewell() {
  Patience patience(aborted_, kFarewell);
  int code = nccl_.finalize(communicator_);
  while (code == kNcclInProgress && patience.pause() == Patience::End::look_again) {
    if (nccl_.get_async_error(communicator_, &code) != kNcclSuccess) break;
  }
  const auto end = code == kNcclSuccess ? nccl_.destroy : nccl_.abort;
  static_cast<void>(end(communicator_));
  communicator_ = nullptr;
}

Result<void> NcclLink::connect(const NcclUniqueId& id, int ranks, int position,
                               const Watch& watch) {
  CHECK(!alive());
  aborted_ = watch.aborted;
  NcclConfig config;
  const int started = nccl_.init(&communicator_, ranks, id, position, &config);
  if (communicator_ != nullptr) return wait(started, watch, false);
  return Error{Errc::io, nccl_.text_of(started, nullptr)};
}

Result<void> NcclLink::finish(int started, const Watch& watch) {
  return wait(started, watch, true);
}

Result<bool> NcclLink::settled(int started, const Watch& watch) {
  int code = started;
  if (code == kNcclSuccess || code == kNcclInProgress) {
    const int asked = nccl_.get_async_error(communicator_, &code);
    if (asked != kNcclSuccess) code = asked;
  }
  if (code == kNcclInProgress) return false;
  if (code == kNcclSuccess) return true;
  return failure(code, watch);
}

Result<void> NcclLink::wait(int started, const Watch& watch, bool with_stream) {
  Patience patience(watch.aborted, watch.timeout);
  for (;;) {
    auto done = settled(started, watch);
    if (done && *done && with_stream) {
      done = gpu_.finished();
      if (!done) return give_up(done.error());
    }
    if (!done) return done.error();
    if (*done) return {};
    switch (patience.pause()) {
      case Patience::End::look_again:
        break;
      case Patience::End::aborted:
        return give_up({Errc::generation_changed, "the generation has changed"});
      case Patience::End::timed_out:
        return give_up({Errc::timed_out,
                        fmt::format("NCCL has not finished for {:.0f} s: a rank hangs, or never "
                                    "came; with NCCL_DEBUG=INFO it says more",
                                    to_seconds(watch.timeout))});
    }
  }
}

Error NcclLink::failure(int code, const Watch& watch) {
  const std::string text = nccl_.text_of(code, communicator_);
  const bool of_a_peer = code == kNcclRemoteError || code == kNcclSystemError;
  Patience patience(watch.aborted, grace_);
  auto end = of_a_peer ? Patience::End::look_again : Patience::End::timed_out;
  while (end == Patience::End::look_again) end = patience.pause();
  if (end == Patience::End::aborted) {
    return give_up({Errc::generation_changed, "the generation has changed (" + text + ")"});
  }
  return give_up({Errc::io, text + " (NCCL_DEBUG=INFO says more)"});
}

Error NcclLink::give_up(Error error) {
  static_cast<void>(nccl_.abort(communicator_));
  communicator_ = nullptr;
  return error;
}

}  // namespace ringmaster::collectives

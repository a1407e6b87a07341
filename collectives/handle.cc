// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of the collectives: calls are looked at (collectives/async/calls.h), then carried out.
#include "collectives/handle.h"

#include <fmt/format.h>

#include "collectives/async/calls.h"

namespace {

thread_local std::string last_message;

using ringmaster::Errc;
using ringmaster::Error;
using ringmaster::Result;
using namespace ringmaster::collectives;

}  // namespace

ringmaster_status ringmaster::collectives::to_status(const Result<void>& result) {
  if (result.ok()) return RINGMASTER_OK;
  last_message = result.error().message;
  return static_cast<ringmaster_status>(static_cast<int>(result.error().code) + 1);
}

ringmaster_status ringmaster::collectives::run_call(ringmaster_communicator* communicator,
                                                    const Result<Operation>& call) {
  if (call) return to_status(communicator->run(*call));
  if (communicator != nullptr && communicator->group && !communicator->group_error) {
    communicator->group_error = call.error();
  }
  return to_status(call.error());
}

const char* ringmaster_error_message(void) {
  return last_message.c_str();
}

int ringmaster_size(const ringmaster_communicator* communicator) {
  return communicator == nullptr || !communicator->engine ? 0 : communicator->engine->size();
}

int ringmaster_position(const ringmaster_communicator* communicator) {
  return communicator == nullptr || !communicator->engine ? 0 : communicator->engine->position();
}

ringmaster_status ringmaster_all_reduce(ringmaster_communicator* communicator, const void* input,
                                        void* output, size_t count, ringmaster_type type,
                                        ringmaster_reduction reduction) {
  if (communicator != nullptr && communicator->engine && communicator->plain() &&
      check_reduce("all_reduce", input, output, count, type, reduction)) {
    // Small arrays take less than a microsecond here: no operation is made of the call.
    return to_status(communicator->engine->all_reduce(input, output, count, type, reduction));
  }
  return run_call(communicator,
                  all_reduce_call(communicator, input, output, count, type, reduction));
}

ringmaster_status ringmaster_broadcast(ringmaster_communicator* communicator, void* data,
                                       size_t count, ringmaster_type type, int root) {
  return run_call(communicator, broadcast_call(communicator, data, count, type, root));
}

ringmaster_status ringmaster_all_gather(ringmaster_communicator* communicator, const void* input,
                                        void* output, size_t count, ringmaster_type type) {
  return run_call(communicator, all_gather_call(communicator, input, output, count, type));
}

ringmaster_status ringmaster_all_gather_counts(ringmaster_communicator* communicator,
                                               const void* input, void* output,
                                               const size_t* counts, ringmaster_type type) {
  return run_call(communicator, all_gather_counts_call(communicator, input, output, counts, type));
}

ringmaster_status ringmaster_reduce_scatter(ringmaster_communicator* communicator,
                                            const void* input, void* output, const size_t* counts,
                                            ringmaster_type type, ringmaster_reduction reduction) {
  return run_call(communicator,
                  reduce_scatter_call(communicator, input, output, counts, type, reduction));
}

ringmaster_status ringmaster_all_to_all(ringmaster_communicator* communicator, const void* input,
                                        const size_t* give, void* output, const size_t* take,
                                        ringmaster_type type) {
  return run_call(communicator, all_to_all_call(communicator, input, give, output, take, type));
}

ringmaster_status ringmaster_barrier(ringmaster_communicator* communicator) {
  return run_call(communicator, barrier_call(communicator));
}

ringmaster_status ringmaster_set_timeout(ringmaster_communicator* communicator, double seconds) {
  auto valid = check_communicator("set_timeout", communicator);
  // A year is longer than any job; more would overflow the nanoseconds.
  if (valid && !(seconds > 0 && seconds <= 366.0 * 86400)) {
    valid = Error{Errc::invalid, fmt::format("set_timeout: {} seconds", seconds)};
  }
  if (!valid) return to_status(valid);
  const auto timeout =
      std::chrono::duration_cast<ringmaster::Duration>(std::chrono::duration<double>(seconds));
  if (communicator->idle()) {
    communicator->engine->set_timeout(timeout);
    return RINGMASTER_OK;
  }
  // In its place among what was started: the thread that uses the engine sets it.
  const auto started = communicator->start_task([timeout](Communicator& ring) -> Result<void> {
    ring.set_timeout(timeout);
    return {};
  });
  return to_status(started ? Result<void>() : started.error());
}

// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of started operations, groups, and send/receive.
#include <fmt/format.h>

#include "collectives/async/calls.h"
#include "collectives/ringmaster_async.h"

using ringmaster::Errc;
using ringmaster::Error;
using ringmaster::Result;
using namespace ringmaster::collectives;

namespace {

/// As long as any wait may take: a year is longer than any job, more would overflow nanoseconds.
constexpr double kLongestWait = 366.0 * 86400;

ringmaster_status start_call(ringmaster_communicator* communicator, Result<Operation> call,
                             ringmaster_work** work) {
  if (work == nullptr) return to_status(Error{Errc::invalid, "start: no place for the work"});
  *work = nullptr;
  if (!call) return to_status(call.error());
  if (communicator->group) {
    return to_status(Error{Errc::invalid, "start: a group is open: end it first"});
  }
  return hand_out(communicator->start(std::move(*call)), work);
}

/// Takes the group out of the handle, if it is one that may be carried out.
Result<Operation> close_group(ringmaster_communicator* communicator) {
  auto valid = check_communicator("group_end", communicator);
  if (!valid) return valid.error();
  if (!communicator->group) return Error{Errc::invalid, "group_end: no group was begun"};
  Operation group = std::move(*communicator->group);
  communicator->group.reset();
  if (!communicator->group_error) return group;
  const Error error = *communicator->group_error;
  communicator->group_error.reset();
  return Error{error.code, "group_end: not carried out: " + error.message};
}

}  // namespace

ringmaster_status ringmaster::collectives::hand_out(Result<WorkPointer> started,
                                                    ringmaster_work** work,
                                                    std::shared_ptr<Tensors> tensors) {
  if (!started) return to_status(started.error());
  *work = new ringmaster_work{std::move(*started), std::move(tensors)};
  return RINGMASTER_OK;
}

ringmaster_status ringmaster_work_wait(ringmaster_work* work, double seconds) {
  if (work == nullptr) return to_status(Error{Errc::invalid, "work_wait: no work"});
  if (!(seconds >= 0 && seconds <= kLongestWait)) {
    return to_status(Error{Errc::invalid, fmt::format("work_wait: {} seconds", seconds)});
  }
  if (work->tensors && !work->work->done()) work->tensors->hurry();
  const std::chrono::duration<double> limit(seconds);
  if (work->work->wait(std::chrono::duration_cast<ringmaster::Duration>(limit))) {
    return to_status(work->work->result());
  }
  return to_status(Error{Errc::timed_out, fmt::format("work_wait: not over after {} s", seconds)});
}

int ringmaster_work_done(const ringmaster_work* work) {
  return work != nullptr && work->work->done() ? 1 : 0;
}

void ringmaster_work_free(ringmaster_work* work) {
  delete work;
}

ringmaster_status ringmaster_all_reduce_start(ringmaster_communicator* communicator,
                                              const void* input, void* output, size_t count,
                                              ringmaster_type type, ringmaster_reduction reduction,
                                              ringmaster_work** work) {
  return start_call(communicator,
                    all_reduce_call(communicator, input, output, count, type, reduction), work);
}

ringmaster_status ringmaster_broadcast_start(ringmaster_communicator* communicator, void* data,
                                             size_t count, ringmaster_type type, int root,
                                             ringmaster_work** work) {
  return start_call(communicator, broadcast_call(communicator, data, count, type, root), work);
}

ringmaster_status ringmaster_all_gather_start(ringmaster_communicator* communicator,
                                              const void* input, void* output, size_t count,
                                              ringmaster_type type, ringmaster_work** work) {
  return start_call(communicator, all_gather_call(communicator, input, output, count, type), work);
}

ringmaster_status ringmaster_all_gather_counts_start(ringmaster_communicator* communicator,
                                                     const void* input, void* output,
                                                     const size_t* counts, ringmaster_type type,
                                                     ringmaster_work** work) {
  return start_call(communicator, all_gather_counts_call(communicator, input, output, counts, type),
                    work);
}

ringmaster_status ringmaster_reduce_scatter_start(ringmaster_communicator* communicator,
                                                  const void* input, void* output,
                                                  const size_t* counts, ringmaster_type type,
                                                  ringmaster_reduction reduction,
                                                  ringmaster_work** work) {
  return start_call(communicator,
                    reduce_scatter_call(communicator, input, output, counts, type, reduction),
                    work);
}

ringmaster_status ringmaster_all_to_all_start(ringmaster_communicator* communicator,
                                              const void* input, const size_t* give, void* output,
                                              const size_t* take, ringmaster_type type,
                                              ringmaster_work** work) {
  return start_call(communicator, all_to_all_call(communicator, input, give, output, take, type),
                    work);
}

ringmaster_status ringmaster_barrier_start(ringmaster_communicator* communicator,
                                           ringmaster_work** work) {
  return start_call(communicator, barrier_call(communicator), work);
}

ringmaster_status ringmaster_send(ringmaster_communicator* communicator, const void* data,
                                  size_t count, ringmaster_type type, int to) {
  return run_call(communicator, send_call(communicator, data, count, type, to));
}

ringmaster_status ringmaster_receive(ringmaster_communicator* communicator, void* data,
                                     size_t count, ringmaster_type type, int from) {
  return run_call(communicator, receive_call(communicator, data, count, type, from));
}

ringmaster_status ringmaster_send_start(ringmaster_communicator* communicator, const void* data,
                                        size_t count, ringmaster_type type, int to,
                                        ringmaster_work** work) {
  return start_call(communicator, send_call(communicator, data, count, type, to), work);
}

ringmaster_status ringmaster_receive_start(ringmaster_communicator* communicator, void* data,
                                           size_t count, ringmaster_type type, int from,
                                           ringmaster_work** work) {
  return start_call(communicator, receive_call(communicator, data, count, type, from), work);
}

ringmaster_status ringmaster_group_begin(ringmaster_communicator* communicator) {
  auto valid = check_communicator("group_begin", communicator);
  if (valid && communicator->group) {
    valid = Error{Errc::invalid, "group_begin: a group is open already"};
  }
  if (!valid) return to_status(valid);
  communicator->group = Operation{.kind = Operation::Kind::group};
  communicator->group_error.reset();
  return RINGMASTER_OK;
}

ringmaster_status ringmaster_group_end(ringmaster_communicator* communicator) {
  const auto group = close_group(communicator);
  return to_status(group ? communicator->run(*group) : group.error());
}

ringmaster_status ringmaster_group_end_start(ringmaster_communicator* communicator,
                                             ringmaster_work** work) {
  return start_call(communicator, close_group(communicator), work);
}

// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of named tensors and of the timeline.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "collectives/async/calls.h"
#include "collectives/ringmaster_tensors.h"

using ringmaster::Duration;
using ringmaster::Errc;
using ringmaster::Error;
using ringmaster::Result;
using namespace ringmaster::collectives;

namespace {

constexpr double kYearSeconds = 366.0 * 86400;  // more would overflow the nanoseconds

Duration duration_of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

Result<TensorSettings> read_settings(const ringmaster_tensor_settings* given) {
  // A caller built against an older, shorter struct sets the part that it knows.
  ringmaster_tensor_settings read{};
  if (given == nullptr || given->size_of_struct < sizeof given->size_of_struct) {
    return Error{Errc::invalid, "tensors_configure: set size_of_struct first"};
  }
  std::memcpy(&read, given, std::min(given->size_of_struct, sizeof read));
  if (!(read.warn_seconds >= 0 && read.warn_seconds <= kYearSeconds)) {
    return Error{Errc::invalid,
                 fmt::format("tensors_configure: warn after {} seconds", read.warn_seconds)};
  }
  TensorSettings settings;
  if (read.bucket_bytes > 0) settings.bucket_bytes = read.bucket_bytes;
  if (read.warn_seconds > 0) settings.warn_after = duration_of(read.warn_seconds);
  return settings;
}

}  // namespace

ringmaster_status ringmaster_tensors_configure(ringmaster_communicator* communicator,
                                               const ringmaster_tensor_settings* settings) {
  auto valid = check_communicator("tensors_configure", communicator);
  if (!valid) return to_status(valid);
  const auto read = read_settings(settings);
  if (!read) return to_status(read.error());
  if (communicator->tensors && !(communicator->tensor_settings == *read)) {
    return to_status(Error{
        Errc::invalid, "tensors_configure: this generation has tensors already: before the first"});
  }
  communicator->tensor_settings = *read;
  return RINGMASTER_OK;
}

ringmaster_status ringmaster_tensor_all_reduce(ringmaster_communicator* communicator,
                                               const char* name, const void* input, void* output,
                                               size_t count, ringmaster_type type,
                                               ringmaster_reduction reduction,
                                               ringmaster_work** work) {
  if (work != nullptr) *work = nullptr;
  auto valid = check_communicator("tensor_all_reduce", communicator);
  if (valid && name == nullptr) valid = Error{Errc::invalid, "tensor_all_reduce: no name"};
  if (valid && communicator->group) {
    valid = Error{Errc::invalid, "tensor_all_reduce: a group is open: end it first"};
  }
  if (valid) valid = check_reduce("tensor_all_reduce", input, output, count, type, reduction);
  if (!valid) return to_status(valid);
  auto submitted = communicator->submit({name, type, reduction, count}, input, output);
  if (!submitted) return to_status(submitted.error());
  if (work == nullptr) return RINGMASTER_OK;
  return hand_out(std::move(submitted), work, communicator->tensors);
}

ringmaster_status ringmaster_tensors_wait_all(ringmaster_communicator* communicator,
                                              double seconds) {
  auto valid = check_communicator("tensors_wait_all", communicator);
  if (valid && !(seconds >= 0 && seconds <= kYearSeconds)) {
    valid = Error{Errc::invalid, fmt::format("tensors_wait_all: {} seconds", seconds)};
  }
  if (!valid || !communicator->tensors) return to_status(valid);
  return to_status(communicator->tensors->wait_all(duration_of(seconds)));
}

const char* ringmaster_tensors_warning(ringmaster_communicator* communicator) {
  if (communicator == nullptr || !communicator->tensors) return "";
  communicator->warning = communicator->tensors->warning();
  return communicator->warning.c_str();
}

ringmaster_status ringmaster_timeline_begin(ringmaster_communicator* communicator, const char* path,
                                            int append) {
  auto valid = check_communicator("timeline_begin", communicator);
  if (valid && path == nullptr) valid = Error{Errc::invalid, "timeline_begin: no path"};
  if (valid && communicator->timeline) {
    valid = Error{Errc::invalid, "timeline_begin: there is a timeline already"};
  }
  if (valid && communicator->tensors) {
    valid = Error{Errc::invalid, "timeline_begin: this generation has tensors already"};
  }
  if (!valid) return to_status(valid);
  return to_status(communicator->begin_timeline(path, append != 0));
}

ringmaster_status ringmaster_timeline_end(ringmaster_communicator* communicator) {
  if (communicator == nullptr || !communicator->timeline) return RINGMASTER_OK;
  const auto timeline = std::exchange(communicator->timeline, nullptr);
  return to_status(timeline->flush());
}

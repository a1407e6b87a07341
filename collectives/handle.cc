// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of the collectives: checks what a C caller may get wrong, then calls the engine.
#include "collectives/handle.h"

#include <fmt/format.h>

namespace {

thread_local std::string last_message;

using ringmaster::Errc;
using ringmaster::Error;
using ringmaster::Result;
using ringmaster::collectives::Counts;
using ringmaster::collectives::to_status;
using ringmaster::collectives::total;

Result<void> check_type(const char* operation, ringmaster_type type) {
  const int number = static_cast<int>(type);
  if (number >= RINGMASTER_FLOAT32 && number <= RINGMASTER_BFLOAT16) return {};
  return Error{Errc::invalid, fmt::format("{}: there is no type {}", operation, number)};
}

Result<void> check_reduction(const char* operation, ringmaster_reduction reduction) {
  const int number = static_cast<int>(reduction);
  if (number >= RINGMASTER_SUM && number <= RINGMASTER_PRODUCT) return {};
  return Error{Errc::invalid, fmt::format("{}: there is no reduction {}", operation, number)};
}

Result<void> check_data(const char* operation, const ringmaster_communicator* communicator,
                        const void* input, const void* output, size_t count) {
  if (communicator == nullptr || communicator->engine == nullptr) {
    return Error{Errc::invalid, fmt::format("{}: no communicator (join first)", operation)};
  }
  if (count > 0 && (input == nullptr || output == nullptr)) {
    return Error{Errc::invalid, fmt::format("{}: a null pointer", operation)};
  }
  return {};
}

/// One count for each position; their sum must be a number of bytes that can be.
Result<Counts> read_counts(const char* operation, const ringmaster_communicator* communicator,
                           const size_t* counts, ringmaster_type type) {
  auto valid = check_data(operation, communicator, nullptr, nullptr, 0);
  if (valid) valid = check_type(operation, type);
  if (!valid) return valid.error();
  if (counts == nullptr) return Error{Errc::invalid, fmt::format("{}: no counts", operation)};
  const auto size = static_cast<size_t>(communicator->engine->size());
  const size_t most = SIZE_MAX / 2 / ringmaster::collectives::size_of(type);
  size_t sum = 0;
  for (size_t i = 0; i < size; ++i) {
    if (counts[i] > most - sum) {
      return Error{Errc::invalid, fmt::format("{}: more elements than memory", operation)};
    }
    sum += counts[i];
  }
  return Counts(counts, counts + size);
}

}  // namespace

ringmaster_status ringmaster::collectives::to_status(const Result<void>& result) {
  if (result.ok()) return RINGMASTER_OK;
  last_message = result.error().message;
  return static_cast<ringmaster_status>(static_cast<int>(result.error().code) + 1);
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
  auto valid = check_data("all_reduce", communicator, input, output, count);
  if (valid) valid = check_type("all_reduce", type);
  if (valid) valid = check_reduction("all_reduce", reduction);
  if (!valid) return to_status(valid);
  return to_status(communicator->engine->all_reduce(input, output, count, type, reduction));
}

ringmaster_status ringmaster_broadcast(ringmaster_communicator* communicator, void* data,
                                       size_t count, ringmaster_type type, int root) {
  auto valid = check_data("broadcast", communicator, data, data, count);
  if (valid) valid = check_type("broadcast", type);
  if (valid && (root < 0 || root >= communicator->engine->size())) {
    valid = Error{Errc::invalid, fmt::format("broadcast: there is no position {}", root)};
  }
  if (!valid) return to_status(valid);
  return to_status(communicator->engine->broadcast(data, count, type, root));
}

ringmaster_status ringmaster_all_gather(ringmaster_communicator* communicator, const void* input,
                                        void* output, size_t count, ringmaster_type type) {
  auto valid = check_data("all_gather", communicator, input, output, count);
  if (valid) valid = check_type("all_gather", type);
  if (!valid) return to_status(valid);
  return to_status(communicator->engine->all_gather(input, output, count, type));
}

ringmaster_status ringmaster_all_gather_counts(ringmaster_communicator* communicator,
                                               const void* input, void* output,
                                               const size_t* counts, ringmaster_type type) {
  const auto read = read_counts("all_gather", communicator, counts, type);
  if (!read) return to_status(read.error());
  const int own = communicator->engine->position();
  auto valid = check_data("all_gather", communicator, output, output, total(*read));
  if (valid) {
    valid = check_data("all_gather", communicator, input, input, (*read)[static_cast<size_t>(own)]);
  }
  if (!valid) return to_status(valid);
  return to_status(communicator->engine->all_gather(input, output, *read, type));
}

ringmaster_status ringmaster_reduce_scatter(ringmaster_communicator* communicator,
                                            const void* input, void* output, const size_t* counts,
                                            ringmaster_type type, ringmaster_reduction reduction) {
  const auto read = read_counts("reduce_scatter", communicator, counts, type);
  if (!read) return to_status(read.error());
  const int own = communicator->engine->position();
  auto valid = check_reduction("reduce_scatter", reduction);
  if (valid) valid = check_data("reduce_scatter", communicator, input, input, total(*read));
  if (valid) {
    valid = check_data("reduce_scatter", communicator, output, output,
                       (*read)[static_cast<size_t>(own)]);
  }
  if (!valid) return to_status(valid);
  return to_status(communicator->engine->reduce_scatter(input, output, *read, type, reduction));
}

ringmaster_status ringmaster_all_to_all(ringmaster_communicator* communicator, const void* input,
                                        const size_t* give, void* output, const size_t* take,
                                        ringmaster_type type) {
  const auto given = read_counts("all_to_all", communicator, give, type);
  const auto taken = given ? read_counts("all_to_all", communicator, take, type) : given;
  if (!taken) return to_status(taken.error());
  auto valid = check_data("all_to_all", communicator, input, input, total(*given));
  if (valid) valid = check_data("all_to_all", communicator, output, output, total(*taken));
  if (!valid) return to_status(valid);
  return to_status(communicator->engine->all_to_all(input, *given, output, *taken, type));
}

ringmaster_status ringmaster_barrier(ringmaster_communicator* communicator) {
  const auto valid = check_data("barrier", communicator, nullptr, nullptr, 0);
  return to_status(valid ? communicator->engine->barrier() : valid);
}

ringmaster_status ringmaster_set_timeout(ringmaster_communicator* communicator, double seconds) {
  auto valid = check_data("set_timeout", communicator, nullptr, nullptr, 0);
  // A year is longer than any job; more would overflow the nanoseconds.
  if (valid && !(seconds > 0 && seconds <= 366.0 * 86400)) {
    valid = Error{Errc::invalid, fmt::format("set_timeout: {} seconds", seconds)};
  }
  if (valid) {
    communicator->engine->set_timeout(
        std::chrono::duration_cast<ringmaster::Duration>(std::chrono::duration<double>(seconds)));
  }
  return to_status(valid);
}

// SPDX-License-Identifier: Apache-2.0
#include "collectives/async/calls.h"

#include <fmt/format.h>

#include "collectives/reduce.h"

namespace ringmaster::collectives {

namespace {

Result<void> check_arrays(const char* operation, const void* input, const void* output,
                          std::size_t count) {
  if (count == 0 || (input != nullptr && output != nullptr)) return {};
  return Error{Errc::invalid, fmt::format("{}: a null pointer", operation)};
}

Result<void> check_reduction(const char* operation, ringmaster_type type,
                             ringmaster_reduction reduction) {
  const int number = static_cast<int>(reduction);
  if (number < RINGMASTER_SUM || number > RINGMASTER_PRODUCT) {
    return Error{Errc::invalid, fmt::format("{}: there is no reduction {}", operation, number)};
  }
  const std::string problem = reduction_problem(type, reduction);
  if (problem.empty()) return {};
  return Error{Errc::invalid, fmt::format("{}: {}", operation, problem)};
}

Result<void> check_count(const char* operation, std::size_t count, ringmaster_type type,
                         std::size_t parts = 1) {
  if (count <= SIZE_MAX / 2 / size_of(type) / parts) return {};
  return Error{Errc::invalid, fmt::format("{}: more elements than memory", operation)};
}

Result<void> check_position(const char* operation, const ringmaster_communicator* communicator,
                            int position) {
  if (position >= 0 && position < communicator->engine->size()) return {};
  return Error{Errc::invalid, fmt::format("{}: there is no position {}", operation, position)};
}

/// One count for each position; their sum must be a number of bytes that can be.
Result<Counts> read_counts(const char* operation, const ringmaster_communicator* communicator,
                           const std::size_t* counts, ringmaster_type type) {
  auto valid = check_communicator(operation, communicator);
  if (valid) valid = check_type(operation, type);
  if (!valid) return valid.error();
  if (counts == nullptr) return Error{Errc::invalid, fmt::format("{}: no counts", operation)};
  const auto size = static_cast<std::size_t>(communicator->engine->size());
  const std::size_t most = SIZE_MAX / 2 / size_of(type);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (counts[i] > most - sum) {
      return Error{Errc::invalid, fmt::format("{}: more elements than memory", operation)};
    }
    sum += counts[i];
  }
  return Counts(counts, counts + size);
}

Result<void> check_transfer(const char* operation, const ringmaster_communicator* communicator,
                            const void* data, std::size_t count, ringmaster_type type, int peer) {
  auto valid = check_communicator(operation, communicator);
  if (valid) valid = check_type(operation, type);
  if (valid) valid = check_count(operation, count, type);
  if (valid) valid = check_arrays(operation, data, data, count);
  return valid ? check_position(operation, communicator, peer) : valid;
}

std::size_t own_count(const ringmaster_communicator* communicator, const Counts& counts) {
  return counts[static_cast<std::size_t>(communicator->engine->position())];
}

}  // namespace

Result<void> check_communicator(const char* operation,
                                const ringmaster_communicator* communicator) {
  if (communicator != nullptr && communicator->engine != nullptr) return {};
  return Error{Errc::invalid, fmt::format("{}: no communicator (join first)", operation)};
}

Result<void> check_type(const char* operation, ringmaster_type type) {
  const int number = static_cast<int>(type);
  if (number >= RINGMASTER_FLOAT32 && number <= RINGMASTER_BFLOAT16) return {};
  return Error{Errc::invalid, fmt::format("{}: there is no type {}", operation, number)};
}

Result<void> check_reduce(const char* operation, const void* input, const void* output,
                          std::size_t count, ringmaster_type type, ringmaster_reduction reduction) {
  auto valid = check_arrays(operation, input, output, count);
  if (valid) valid = check_type(operation, type);
  if (valid) valid = check_count(operation, count, type);
  return valid ? check_reduction(operation, type, reduction) : valid;
}

Result<Operation> all_reduce_call(const ringmaster_communicator* communicator, const void* input,
                                  void* output, std::size_t count, ringmaster_type type,
                                  ringmaster_reduction reduction) {
  auto valid = check_communicator("all_reduce", communicator);
  if (valid) valid = check_reduce("all_reduce", input, output, count, type, reduction);
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::all_reduce,
                   .input = input,
                   .output = output,
                   .count = count,
                   .type = type,
                   .reduction = reduction};
}

Result<Operation> broadcast_call(const ringmaster_communicator* communicator, void* data,
                                 std::size_t count, ringmaster_type type, int root) {
  const auto valid = check_transfer("broadcast", communicator, data, count, type, root);
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::broadcast,
                   .output = data,
                   .count = count,
                   .type = type,
                   .root = root};
}

Result<Operation> all_gather_call(const ringmaster_communicator* communicator, const void* input,
                                  void* output, std::size_t count, ringmaster_type type) {
  auto valid = check_communicator("all_gather", communicator);
  if (valid) valid = check_arrays("all_gather", input, output, count);
  if (valid) valid = check_type("all_gather", type);
  if (!valid) return valid.error();
  const auto size = static_cast<std::size_t>(communicator->engine->size());
  valid = check_count("all_gather", count, type, size);
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::all_gather,
                   .input = input,
                   .output = output,
                   .type = type,
                   .counts = Counts(size, count)};
}

Result<Operation> all_gather_counts_call(const ringmaster_communicator* communicator,
                                         const void* input, void* output, const std::size_t* counts,
                                         ringmaster_type type) {
  auto read = read_counts("all_gather", communicator, counts, type);
  if (!read) return read.error();
  auto valid = check_arrays("all_gather", output, output, total(*read));
  if (valid) valid = check_arrays("all_gather", input, input, own_count(communicator, *read));
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::all_gather,
                   .input = input,
                   .output = output,
                   .type = type,
                   .counts = std::move(*read)};
}

Result<Operation> reduce_scatter_call(const ringmaster_communicator* communicator,
                                      const void* input, void* output, const std::size_t* counts,
                                      ringmaster_type type, ringmaster_reduction reduction) {
  auto read = read_counts("reduce_scatter", communicator, counts, type);
  if (!read) return read.error();
  auto valid = check_reduction("reduce_scatter", type, reduction);
  if (valid) valid = check_arrays("reduce_scatter", input, input, total(*read));
  if (valid) {
    valid = check_arrays("reduce_scatter", output, output, own_count(communicator, *read));
  }
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::reduce_scatter,
                   .input = input,
                   .output = output,
                   .type = type,
                   .reduction = reduction,
                   .counts = std::move(*read)};
}

Result<Operation> all_to_all_call(const ringmaster_communicator* communicator, const void* input,
                                  const std::size_t* give, void* output, const std::size_t* take,
                                  ringmaster_type type) {
  auto given = read_counts("all_to_all", communicator, give, type);
  auto taken = given ? read_counts("all_to_all", communicator, take, type) : given;
  if (!taken) return taken.error();
  auto valid = check_arrays("all_to_all", input, input, total(*given));
  if (valid) valid = check_arrays("all_to_all", output, output, total(*taken));
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::all_to_all,
                   .input = input,
                   .output = output,
                   .type = type,
                   .counts = std::move(*given),
                   .take = std::move(*taken)};
}

Result<Operation> barrier_call(const ringmaster_communicator* communicator) {
  const auto valid = check_communicator("barrier", communicator);
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::barrier};
}

Result<Operation> send_call(const ringmaster_communicator* communicator, const void* data,
                            std::size_t count, ringmaster_type type, int to) {
  const auto valid = check_transfer("send", communicator, data, count, type, to);
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::group,
                   .sends = {{const_cast<void*>(data), count, type, to}}};
}

Result<Operation> receive_call(const ringmaster_communicator* communicator, void* data,
                               std::size_t count, ringmaster_type type, int from) {
  const auto valid = check_transfer("receive", communicator, data, count, type, from);
  if (!valid) return valid.error();
  return Operation{.kind = Operation::Kind::group, .receives = {{data, count, type, from}}};
}

}  // namespace ringmaster::collectives

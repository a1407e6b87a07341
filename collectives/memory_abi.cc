// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of memory that all ranks of a host see: null checks and statuses over Arena.
#include <fmt/format.h>

#include "collectives/handle.h"
#include "collectives/ringmaster_memory.h"

namespace {

using ringmaster::Errc;
using ringmaster::Error;
using ringmaster::Result;
using ringmaster::collectives::to_status;

Result<void> check_arena(const char* operation, const ringmaster_communicator* communicator) {
  if (communicator != nullptr && communicator->arena != nullptr) return {};
  return Error{Errc::invalid, fmt::format("{}: no communicator (open a session first)", operation)};
}

}  // namespace

ringmaster_status ringmaster_allocate(ringmaster_communicator* communicator, size_t bytes,
                                      void** memory) {
  auto valid = check_arena("allocate", communicator);
  if (valid && memory == nullptr) valid = Error{Errc::invalid, "allocate: a null pointer"};
  if (!valid) return to_status(valid);
  *memory = nullptr;
  const auto allocated = communicator->arena->allocate(bytes);
  if (!allocated) return to_status(allocated.error());
  *memory = *allocated;
  return RINGMASTER_OK;
}

ringmaster_status ringmaster_free(ringmaster_communicator* communicator, void* memory) {
  const auto valid = check_arena("free", communicator);
  return to_status(valid ? communicator->arena->free(memory) : valid);
}

ringmaster_status ringmaster_register(ringmaster_communicator* communicator, void* data,
                                      size_t bytes) {
  auto valid = check_arena("register", communicator);
  if (valid && data == nullptr) valid = Error{Errc::invalid, "register: a null pointer"};
  return to_status(valid ? communicator->arena->adopt(data, bytes) : valid);
}

ringmaster_status ringmaster_release(ringmaster_communicator* communicator, void* data) {
  const auto valid = check_arena("release", communicator);
  return to_status(valid ? communicator->arena->release(data) : valid);
}

// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/nccl_library.h"

#include <fmt/format.h>

#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/loaded_library.h"

namespace ringmaster::collectives {

namespace {

std::vector<WantedSymbol> nccl_symbols(NcclLibrary& to) {
  return {wanted_symbol("ncclGetUniqueId", to.get_unique_id),
          wanted_symbol("ncclCommInitRankConfig", to.init),
          wanted_symbol("ncclCommFinalize", to.finalize),
          wanted_symbol("ncclCommDestroy", to.destroy),
          wanted_symbol("ncclCommAbort", to.abort),
          wanted_symbol("ncclCommGetAsyncError", to.get_async_error),
          wanted_symbol("ncclGetErrorString", to.get_error_string),
          wanted_symbol("ncclGetLastError", to.get_last_error),
          wanted_symbol("ncclGroupStart", to.group_start),
          wanted_symbol("ncclGroupEnd", to.group_end),
          wanted_symbol("ncclAllReduce", to.all_reduce),
          wanted_symbol("ncclReduce", to.reduce),
          wanted_symbol("ncclReduceScatter", to.reduce_scatter),
          wanted_symbol("ncclAllGather", to.all_gather),
          wanted_symbol("ncclBroadcast", to.broadcast),
          wanted_symbol("ncclSend", to.send),
          wanted_symbol("ncclRecv", to.receive)};
}

}  // namespace

Result<NcclLibrary> NcclLibrary::load(const std::vector<std::string>& names) {
  auto library = load_library(names);
  if (!library) {
    return Error{library.error().code,
                 fmt::format("no NCCL: {}; install it, or name its file in {}",
                             library.error().message, kNcclLibraryVariable)};
  }
  NcclLibrary nccl;
  nccl.name = library->name;
  // The version comes first: an old library is told by it, not by a function that it lacks.
  auto found = find_symbols(*library, {wanted_symbol("ncclGetVersion", nccl.get_version)});
  if (!found) return found.error();
  if (nccl.get_version(&nccl.version) != kNcclSuccess || nccl.version < kOldestVersion) {
    return Error{Errc::invalid,
                 fmt::format("{} is NCCL {}: {} or newer is needed", nccl.name,
                             version_text(nccl.version), version_text(kOldestVersion))};
  }
  found = find_symbols(*library, nccl_symbols(nccl));
  if (!found) return found.error();
  return nccl;
}

std::string NcclLibrary::version_text(int version) {
  // Up to 2.8 a version had one digit less: 2804 is 2.8.4.
  const int major = version < 10000 ? version / 1000 : version / 10000;
  const int minor = version < 10000 ? version % 1000 / 100 : version % 10000 / 100;
  return fmt::format("{}.{}.{}", major, minor, version % 100);
}

std::string NcclLibrary::text_of(int result, NcclHandle communicator) const {
  const char* word = get_error_string(result);
  const char* last = get_last_error(communicator);
  std::string text = fmt::format("NCCL: {}", word != nullptr ? word : "an unknown error");
  if (last != nullptr && *last != '\0') text += fmt::format(": {}", last);
  // One line, whatever NCCL puts into its text.
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

int nccl_type(Type type) {
  switch (type) {
    case RINGMASTER_FLOAT32:
      return 7;
    case RINGMASTER_FLOAT64:
      return 8;
    case RINGMASTER_INT32:
      return 2;
    case RINGMASTER_INT64:
      return 4;
    case RINGMASTER_UINT8:
      return 1;
    case RINGMASTER_FLOAT16:
      return 6;
    case RINGMASTER_BFLOAT16:
      return 9;
  }
  return -1;
}

int nccl_reduction(Reduction reduction) {
  switch (reduction) {
    case RINGMASTER_SUM:
      return 0;
    case RINGMASTER_AVERAGE:
      return 4;
    case RINGMASTER_MIN:
      return 3;
    case RINGMASTER_MAX:
      return 2;
    case RINGMASTER_PRODUCT:
      return 1;
  }
  return -1;
}

}  // namespace ringmaster::collectives

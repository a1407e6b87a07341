// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

namespace ringmaster::collectives {

Result<LoadedLibrary> load_library(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle != nullptr) return LoadedLibrary{handle, name};
  }
  std::string why;
  for (const std::string& name : names) {
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return LoadedLibrary{handle, name};
    const char* said = ::dlerror();
    if (why.empty()) why = said != nullptr ? said : name + ": it cannot be loaded";
  }
  return Error{Errc::not_found, why};
}

Result<void> find_symbols(const LoadedLibrary& library, const std::vector<WantedSymbol>& wanted) {
  for (const WantedSymbol& symbol : wanted) {
    void* address = ::dlsym(library.handle, symbol.name);
    if (address == nullptr) {
      return Error{Errc::invalid, fmt::format("{}: it has no {}", library.name, symbol.name)};
    }
    // POSIX gives functions the form of data pointers; copying the bytes is the way between them.
    std::memcpy(symbol.place, &address, sizeof address);
  }
  return {};
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
//
// A shared library that is found when the program runs, so that the same program works with and
// without it.
//
// It is never unloaded: NCCL and the CUDA runtime have threads and exit handlers of their own,
// which must not lose the code under them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::collectives {

/// A function to be found: its name and where its address goes.
struct WantedSymbol {
  const char* name;
  void* place;  // of a function pointer
};

/// What was loaded.
struct LoadedLibrary {
  void* handle = nullptr;
  std::string name;
};

/// Loads the first of `names` that can be. One that the process has loaded already (another
/// framework's) comes before all others: two copies of one library would not see each other's
/// memory. Errc::not_found says what the system said of the first name.
Result<LoadedLibrary> load_library(const std::vector<std::string>& names);

/// Fills the places. Errc::invalid names a function that is missing.
Result<void> find_symbols(const LoadedLibrary& library, const std::vector<WantedSymbol>& wanted);

/// Of a function pointer, as the list wants it.
template <class Function>
WantedSymbol wanted_symbol(const char* name, Function*& place) {
  return {name, static_cast<void*>(&place)};
}

}  // namespace ringmaster::collectives

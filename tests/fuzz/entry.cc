// SPDX-License-Identifier: Apache-2.0
//
// The targets under clang's libFuzzer, which asks which code an input has reached and goes on from
// those that reached more. One program for all targets (scripts/fuzz runs it):
//
//     ringmaster-fuzz --target=messages FOLDER     looks for inputs, keeps the good ones in FOLDER
//     ringmaster-fuzz --target=messages FILE       tries this input
//
// libFuzzer leaves options with two dashes to us.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

const Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view kFlag = "--target=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument.starts_with(kFlag)) chosen = find_target(argument.substr(kFlag.size()));
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "say --target=NAME, where NAME is one of");
    for (const Target& target : targets()) std::fprintf(stderr, " %s", target.name.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}

}  // namespace ringmaster::fuzz

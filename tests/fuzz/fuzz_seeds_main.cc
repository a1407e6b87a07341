// SPDX-License-Identifier: Apache-2.0
//
// fuzz-seeds DIR: writes every target's corpus into DIR/TARGET/, one file an input, and prints the
// targets' names: what scripts/fuzz begins with.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz-seeds DIR\n");
    return 2;
  }
  for (const auto& target : ringmaster::fuzz::targets()) {
    const auto folder = std::filesystem::path(arguments[1]) / target.name;
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    int number = 0;
    for (const std::string& input : target.corpus) {
      std::ofstream file(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
      file << input;
      if (!file.flush()) {
        std::fprintf(stderr, "fuzz-seeds: cannot write to %s\n", folder.c_str());
        return 1;
      }
    }
    std::printf("%s\n", target.name.c_str());
  }
  return 0;
}

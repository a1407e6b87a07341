// SPDX-License-Identifier: Apache-2.0
//
// Programs that a user names: reading which libraries they want never leaves the file.
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "launcher/contracts/mpi_need.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void run(std::string_view input) {
  const auto wanted = launcher::parse_wanted(input);
  if (!wanted) return;
  // Sixteen bytes name a library, which is within the file.
  CHECK_LE(wanted->libraries.size(), input.size() / 16);
  for (const std::string& name : wanted->libraries) CHECK_LE(name.size(), input.size());
}

}  // namespace

Target elf_target() {
  std::ifstream file("/bin/true", std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), {}};
  return {"elf", {program, "#!/bin/sh\n", program.substr(0, 4096)}, &run, 1000};
}

}  // namespace ringmaster::fuzz

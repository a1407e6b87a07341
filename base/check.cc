// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ringmaster {

void check_failed(const char* file, int line, const std::string& text) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text.c_str());
  std::abort();
}

}  // namespace ringmaster

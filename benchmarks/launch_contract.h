// SPDX-License-Identifier: Apache-2.0
//
// Who a rank is, for programs of other libraries: the variables that every launcher sets.
#pragma once

#include <cstdlib>

/// The variable's number; -1: there is none.
inline int number_from(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

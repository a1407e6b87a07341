// SPDX-License-Identifier: Apache-2.0
//
// CHECK: what cannot happen in a right program. Always on; prints the expression, the values and
// the place, then aborts, so that a wrong state never goes on and is never sent to a peer.
//
// Inline, so that the C++ faces of the installed library need nothing but headers.
//
// For what can happen (a file that is not there, a peer that dies) see base/result.h.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace ringmaster {

/// Prints "FILE:LINE: check failed: TEXT" to standard error and aborts.
[[noreturn]] inline void check_failed(const char* file, int line, const std::string& text) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text.c_str());
  std::abort();
}

template <class A, class B>
[[noreturn]] void check_failed(const char* file, int line, const char* expression, const A& a,
                               const B& b) {
  std::ostringstream text;
  text << expression << " (" << a << " against " << b << ")";
  check_failed(file, line, text.str());
}

}  // namespace ringmaster

#define CHECK(condition) \
  ((condition) ? void() : ::ringmaster::check_failed(__FILE__, __LINE__, #condition))

#define RINGMASTER_CHECK_PAIR(a, operation, b)                                              \
  do {                                                                                      \
    const auto& check_a = (a);                                                              \
    const auto& check_b = (b);                                                              \
    if (!(check_a operation check_b))                                                       \
      ::ringmaster::check_failed(__FILE__, __LINE__, #a " " #operation " " #b, check_a, check_b); \
  } while (false)

#define CHECK_EQ(a, b) RINGMASTER_CHECK_PAIR(a, ==, b)
#define CHECK_NE(a, b) RINGMASTER_CHECK_PAIR(a, !=, b)
#define CHECK_LT(a, b) RINGMASTER_CHECK_PAIR(a, <, b)
#define CHECK_LE(a, b) RINGMASTER_CHECK_PAIR(a, <=, b)

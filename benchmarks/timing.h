/* SPDX-License-Identifier: Apache-2.0 */
/* A clock, and the order of times for qsort. C that a C++ compiler takes, too. */
#pragma once

#include <time.h>

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

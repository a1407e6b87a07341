/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that times all-reduces and other operations, the same for every library: the file that
 * includes it has rank_of(), size_of_world() and sum(in, out, count), the all-reduce. C that a C++
 * compiler takes, too.
 *
 * In every iteration each rank rewrites its input and reads its output, inside the timing: a
 * library that leaves the data in some other core's cache pays for it here, as training would.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/timing.h"

enum { MOST_ITERATIONS = 20000, LEAST_ITERATIONS = 5, WARM_UP = 3 };
static double times[MOST_ITERATIONS];
static volatile float sink;

/* Whose numbers the results are. */
enum whose { OF_ALL, OF_EACH, OF_ROOT };

/* What is measured. `count` is that of the whole array, of which each rank may have a share. */
struct operation {
  const char* name;
  void (*run)(const float* in, float* out, size_t count);
  enum whose whose;
  int one_share; /* 1: a rank's result is its share of the array */
};
static const struct operation all_reduce = {"all_reduce", sum, OF_ALL, 0};

/* What a rank's array holds; each has other numbers. */
static float given(int turn, int rank) {
  return (float)(turn + rank);
}

static float expected(const struct operation* operation, int turn, size_t i, size_t count) {
  const int ranks = size_of_world();
  if (operation->whose == OF_ROOT) return given(turn, 0);
  if (operation->whose == OF_EACH) return given(turn, (int)(i / (count / (size_t)ranks)));
  float all = 0;
  for (int rank = 0; rank < ranks; ++rank) all += given(turn, rank);
  return all;
}

/* One iteration; its time in us. */
static double iterate(const struct operation* operation, float* in, float* out, size_t count,
                      int turn) {
  const double begin = now_us();
  /* As cheap as rewriting can be: what is measured is the library. */
  const float value = given(turn, rank_of());
  for (size_t i = 0; i < count; ++i) in[i] = value;
  operation->run(in, out, count);
  float read = 0;
  for (size_t i = 0; i < count; i += 16) read += out[i];
  sink = read;
  return now_us() - begin;
}

static void check_results(const struct operation* operation, const float* in, const float* out,
                          size_t count, int turn) {
  const size_t share = count / (size_t)size_of_world();
  const size_t results = operation->one_share ? share : count;
  const float* held = operation->whose == OF_ROOT && rank_of() == 0 ? in : out;
  for (size_t i = 0; i < results; ++i) {
    const float wanted = expected(operation, turn, i, count);
    if (held[i] == wanted) continue;
    fprintf(stderr, "allreduce: %s of %zu: %g at %zu, not %g\n", operation->name, count,
            (double)held[i], i, (double)wanted);
    exit(1);
  }
}

static void measure(const struct operation* operation, float* in, float* out, size_t bytes,
                    double budget_us) {
  /* The same share for all. */
  const size_t ranks = (size_t)size_of_world(), all = bytes / sizeof(float);
  const size_t count = operation == &all_reduce ? all : all / ranks * ranks;
  double warm = 0;
  for (int i = 0; i < WARM_UP; ++i) warm = iterate(operation, in, out, count, i);
  /* All ranks need the same number of iterations: rank 0's. */
  float wanted = rank_of() == 0 ? (float)(budget_us / (warm > 0.05 ? warm : 0.05)) : 0, agreed;
  sum(&wanted, &agreed, 1);
  int iterations = agreed > MOST_ITERATIONS ? MOST_ITERATIONS : (int)agreed;
  if (iterations < LEAST_ITERATIONS) iterations = LEAST_ITERATIONS;
  for (int i = 0; i < iterations; ++i) times[i] = iterate(operation, in, out, count, i);
  check_results(operation, in, out, count, iterations - 1);
  if (rank_of() != 0) return;
  qsort(times, (size_t)iterations, sizeof(double), by_value);
  printf("{\"bytes\":%zu,\"iterations\":%d,\"median_us\":%.3f,\"p99_us\":%.3f}\n", bytes,
         iterations, times[iterations / 2], times[(int)((double)(iterations - 1) * 0.99)]);
  fflush(stdout);
}

/* Prints a JSON line for each power of two: bytes, iterations, median and p99 in us. */
static void measure_all(const struct operation* operation, float* in, float* out, size_t least,
                        size_t most, double milliseconds) {
  memset(in, 0, most);
  memset(out, 0, most);
  for (size_t bytes = least; bytes <= most; bytes *= 2) {
    measure(operation, in, out, bytes, milliseconds * 1e3);
  }
}

/* The sizes of the command line, and memory of the larger one; 0: something is wrong with them. */
static int take_sizes(char** argv, size_t* least, size_t* most, float** in, float** out) {
  *least = strtoull(argv[1], NULL, 10);
  *most = strtoull(argv[2], NULL, 10);
  if (*least >= 4 && *most >= *least && posix_memalign((void**)in, 64, *most) == 0 &&
      posix_memalign((void**)out, 64, *most) == 0) {
    return 1;
  }
  fprintf(stderr, "allreduce: %s to %s bytes: too few or too many\n", argv[1], argv[2]);
  return 0;
}

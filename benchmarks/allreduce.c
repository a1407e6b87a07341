/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures all-reduces of float32 sums of many sizes: one source for the library of this project
 * and, with -DUSE_MPI, for any MPI, so that all are measured by the same loop.
 *
 * In every iteration each rank rewrites its input and reads its output, inside the timing: a
 * library that leaves the data in some other core's cache pays for it here, as training would.
 *
 *     ringrun -np 2 allreduce LEAST_BYTES MOST_BYTES MILLISECONDS_A_SIZE [MEMORY]
 *
 * MEMORY is ordinary (the default), allocated (by the library) or registered (ordinary memory that
 * the library has adopted); for MPI, which knows neither, it is always ordinary.
 *
 * Rank 0 prints a JSON line for each power of two: bytes, iterations, median and p99 in us.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef USE_MPI
#include <mpi.h>
static int rank_of(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static int size_of_world(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
static void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
}
static void sum(const float* in, float* out, size_t count) {
  MPI_Allreduce(in, out, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void share(float** memory, size_t bytes, const char* kind) {
  (void)memory, (void)bytes, (void)kind;
}
static void finish(void) {
  MPI_Finalize();
}
#else
#include "collectives/ringmaster_memory.h"
#include "worker/ringmaster_session.h"
static ringmaster_session* session;
static ringmaster_communicator* ring;
static void check(ringmaster_status status) {
  if (status == RINGMASTER_OK) return;
  fprintf(stderr, "allreduce: %s\n", ringmaster_error_message());
  exit(1);
}
static int rank_of(void) {
  return ringmaster_position(ring);
}
static int size_of_world(void) {
  return ringmaster_size(ring);
}
static void start(int* argc, char*** argv) {
  (void)argc, (void)argv;
  check(ringmaster_session_open(&session));
  check(ringmaster_session_join(session));
  ring = ringmaster_session_communicator(session);
}
static void sum(const float* in, float* out, size_t count) {
  check(ringmaster_all_reduce(ring, in, out, count, RINGMASTER_FLOAT32, RINGMASTER_SUM));
}
static void share(float** memory, size_t bytes, const char* kind) {
  if (strcmp(kind, "registered") == 0) check(ringmaster_register(ring, *memory, bytes));
  if (strcmp(kind, "allocated") != 0) return;
  void* allocated = NULL;
  check(ringmaster_allocate(ring, bytes, &allocated));
  free(*memory);
  *memory = allocated;
}
static void finish(void) {
  check(ringmaster_session_finish(session));
  ringmaster_session_close(session);
}
#endif

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

enum { MOST_ITERATIONS = 20000, LEAST_ITERATIONS = 5, WARM_UP = 3 };
static double times[MOST_ITERATIONS];
static volatile float sink;

/* One iteration; its time in us. */
static double iterate(float* in, float* out, size_t count, int turn) {
  const double begin = now_us();
  /* As cheap as rewriting can be: what is measured is the library. */
  const float value = (float)turn;
  for (size_t i = 0; i < count; ++i) in[i] = value;
  sum(in, out, count);
  float read = 0;
  for (size_t i = 0; i < count; i += 16) read += out[i];
  sink = read;
  return now_us() - begin;
}

static void measure(float* in, float* out, size_t bytes, double budget_us) {
  const size_t count = bytes / sizeof(float);
  double warm = 0;
  for (int i = 0; i < WARM_UP; ++i) warm = iterate(in, out, count, i);
  /* All ranks need the same number of iterations: rank 0's. */
  float wanted = rank_of() == 0 ? (float)(budget_us / (warm > 0.05 ? warm : 0.05)) : 0, agreed;
  sum(&wanted, &agreed, 1);
  int iterations = agreed > MOST_ITERATIONS ? MOST_ITERATIONS : (int)agreed;
  if (iterations < LEAST_ITERATIONS) iterations = LEAST_ITERATIONS;
  for (int i = 0; i < iterations; ++i) times[i] = iterate(in, out, count, i);
  const float expected = (float)((iterations - 1) * size_of_world());
  for (size_t i = 0; i < count; ++i) {
    if (out[i] == expected) continue;
    fprintf(stderr, "allreduce: %zu bytes: a sum of %g at %zu, not %g\n", bytes, (double)out[i], i,
            (double)expected);
    exit(1);
  }
  if (rank_of() != 0) return;
  qsort(times, (size_t)iterations, sizeof(double), by_value);
  printf("{\"bytes\":%zu,\"iterations\":%d,\"median_us\":%.3f,\"p99_us\":%.3f}\n", bytes,
         iterations, times[iterations / 2], times[(int)((double)(iterations - 1) * 0.99)]);
  fflush(stdout);
}

static int usage(void) {
  fprintf(stderr,
          "usage: allreduce LEAST_BYTES MOST_BYTES MILLISECONDS_A_SIZE "
          "[ordinary|allocated|registered]\n");
  return 2;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  if (argc != 4 && argc != 5) return usage();
  const size_t least = strtoull(argv[1], NULL, 10), most = strtoull(argv[2], NULL, 10);
  const char* kind = argc == 5 ? argv[4] : "ordinary";
  if (strcmp(kind, "ordinary") != 0 && strcmp(kind, "allocated") != 0 &&
      strcmp(kind, "registered") != 0) {
    return usage();
  }
  float *in = NULL, *out = NULL;
  if (least < 4 || most < least || posix_memalign((void**)&in, 64, most) != 0 ||
      posix_memalign((void**)&out, 64, most) != 0) {
    fprintf(stderr, "allreduce: %s to %s bytes: too few or too many\n", argv[1], argv[2]);
    return 2;
  }
  share(&in, most, kind);
  share(&out, most, kind);
  memset(in, 0, most);
  memset(out, 0, most);
  for (size_t bytes = least; bytes <= most; bytes *= 2)
    measure(in, out, bytes, atof(argv[3]) * 1e3);
  finish(); /* the process' end frees the rest */
  return 0;
}

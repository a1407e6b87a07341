/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures all-reduces of float32 sums of many sizes: one source for the library of this project
 * and, with -DUSE_MPI, for any MPI, so that all are measured by the same loop.
 *
 *     ringrun -np 2 allreduce LEAST_BYTES MOST_BYTES MILLISECONDS_A_SIZE [MEMORY [OPERATION]]
 *     ringrun -np 2 allreduce stream
 *
 * MEMORY is ordinary (the default), allocated (by the library) or registered (ordinary memory that
 * the library has adopted); for MPI, which knows neither, it is always ordinary. OPERATION is
 * all_reduce (the default), reduce_scatter, all_gather, broadcast or all_to_all; the bytes are
 * those of the whole array, of which each rank gives or gets a share. `stream` tells how many bytes
 * a second all ranks together copy past the caches, read and written.
 */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 1024 };

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
static int share_of(size_t count) {
  return (int)(count / (size_t)size_of_world());
}
static void scatter(const float* in, float* out, size_t count) {
  MPI_Reduce_scatter_block(in, out, share_of(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void gather(const float* in, float* out, size_t count) {
  MPI_Allgather(in, share_of(count), MPI_FLOAT, out, share_of(count), MPI_FLOAT, MPI_COMM_WORLD);
}
static void cast(float* data, size_t count) {
  MPI_Bcast(data, (int)count, MPI_FLOAT, 0, MPI_COMM_WORLD);
}
static void swap(const float* in, float* out, size_t count) {
  MPI_Alltoall(in, share_of(count), MPI_FLOAT, out, share_of(count), MPI_FLOAT, MPI_COMM_WORLD);
}
static void share(float** memory, size_t bytes, const char* kind) {
  (void)memory, (void)bytes, (void)kind;
}
static void give_back(float* memory, const char* kind) {
  (void)kind;
  free(memory);
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
/* The same for every rank. */
static const size_t* shares_of(size_t count) {
  static size_t counts[MOST_RANKS];
  const int ranks = size_of_world();
  for (int rank = 0; rank < ranks; ++rank) counts[rank] = count / (size_t)ranks;
  return counts;
}
static void scatter(const float* in, float* out, size_t count) {
  check(ringmaster_reduce_scatter(ring, in, out, shares_of(count), RINGMASTER_FLOAT32,
                                  RINGMASTER_SUM));
}
static void gather(const float* in, float* out, size_t count) {
  check(ringmaster_all_gather(ring, in, out, shares_of(count)[0], RINGMASTER_FLOAT32));
}
static void cast(float* data, size_t count) {
  check(ringmaster_broadcast(ring, data, count, RINGMASTER_FLOAT32, 0));
}
static void swap(const float* in, float* out, size_t count) {
  const size_t* shares = shares_of(count);
  check(ringmaster_all_to_all(ring, in, shares, out, shares, RINGMASTER_FLOAT32));
}
static void share(float** memory, size_t bytes, const char* kind) {
  if (strcmp(kind, "registered") == 0) check(ringmaster_register(ring, *memory, bytes));
  if (strcmp(kind, "allocated") != 0) return;
  void* allocated = NULL;
  check(ringmaster_allocate(ring, bytes, &allocated));
  free(*memory);
  *memory = allocated;
}
static void give_back(float* memory, const char* kind) {
  if (strcmp(kind, "allocated") == 0) {
    check(ringmaster_free(ring, memory));
    return;
  }
  if (strcmp(kind, "registered") == 0) check(ringmaster_release(ring, memory));
  free(memory);
}
static void finish(void) {
  check(ringmaster_session_finish(session));
  ringmaster_session_close(session);
}
#endif

#include "benchmarks/measure.h"

static void cast_from_root(const float* in, float* out, size_t count) {
  cast(rank_of() == 0 ? (float*)in : out, count);
}

static const struct operation* find_operation(const char* name) {
  static const struct operation others[] = {{"reduce_scatter", scatter, OF_ALL, 1},
                                            {"all_gather", gather, OF_EACH, 0},
                                            {"broadcast", cast_from_root, OF_ROOT, 0},
                                            {"all_to_all", swap, OF_EACH, 0}};
  if (strcmp(name, all_reduce.name) == 0) return &all_reduce;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    if (strcmp(name, others[i].name) == 0) return &others[i];
  }
  return NULL;
}

/* Larger than caches, so that the copy goes past them. */
enum { STREAM_BYTES = 64 << 20, STREAM_TURNS = 5 };
static int stream(void) {
  char *from = malloc(STREAM_BYTES), *to = malloc(STREAM_BYTES);
  if (from == NULL || to == NULL) return 1;
  memset(from, 1, STREAM_BYTES);
  memset(to, 1, STREAM_BYTES);
  float rate = 0, all = 0;
  sum(&rate, &all, 1); /* all begin together */
  const double begin = now_us();
  for (int turn = 0; turn < STREAM_TURNS; ++turn) memcpy(to, from, STREAM_BYTES);
  rate = (float)(2.0 * STREAM_TURNS * STREAM_BYTES / (now_us() - begin) * 1e6);
  sum(&rate, &all, 1);
  if (rank_of() == 0) printf("{\"stream_bytes_per_s\":%.0f}\n", (double)all);
  const int copied = to[STREAM_BYTES - 1] == 1;
  free(from);
  free(to);
  finish();
  return copied ? 0 : 1;
}

static int usage(void) {
  fprintf(stderr,
          "usage: allreduce LEAST_BYTES MOST_BYTES MILLISECONDS_A_SIZE "
          "[ordinary|allocated|registered "
          "[all_reduce|reduce_scatter|all_gather|broadcast|all_to_all]]\n");
  return 2;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  if (argc == 2 && strcmp(argv[1], "stream") == 0) return stream();
  if (argc < 4 || argc > 6) return usage();
  const char* kind = argc > 4 ? argv[4] : "ordinary";
  const struct operation* operation = find_operation(argc > 5 ? argv[5] : "all_reduce");
  if (operation == NULL || size_of_world() > MOST_RANKS) return usage();
  if (strcmp(kind, "ordinary") != 0 && strcmp(kind, "allocated") != 0 &&
      strcmp(kind, "registered") != 0) {
    return usage();
  }
  float *in = NULL, *out = NULL;
  size_t least = 0, most = 0;
  if (!take_sizes(argv, &least, &most, &in, &out)) return 2;
  share(&in, most, kind);
  share(&out, most, kind);
  measure_all(operation, in, out, least, most, atof(argv[3]));
  give_back(in, kind);
  give_back(out, kind);
  finish();
  return 0;
}

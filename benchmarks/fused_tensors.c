/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times a step of named tensors that lie apart in memory, so that they are fused by copying: each
 * is rewritten and handed in, then all are waited for.
 *
 *     ringrun -np 4 --bind core fused-tensors TENSORS FLOATS_OF_EACH STEPS
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks/timing.h"
#include "collectives/ringmaster_tensors.h"
#include "worker/ringmaster_session.h"

enum { MOST_TENSORS = 1000, MOST_STEPS = 10000, GAP = 64 }; /* floats between two tensors */
static float* tensors[MOST_TENSORS];
static double times[MOST_STEPS];

static void check(ringmaster_status status) {
  if (status == RINGMASTER_OK) return;
  fprintf(stderr, "fused-tensors: %s\n", ringmaster_error_message());
  exit(1);
}

static double step(ringmaster_communicator* ring, int count, size_t floats, float value) {
  const double begin = now_us();
  for (int i = 0; i < count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "tensor %d", i);
    for (size_t j = 0; j < floats; ++j) tensors[i][j] = value;
    check(ringmaster_tensor_all_reduce(ring, name, tensors[i], tensors[i], floats,
                                       RINGMASTER_FLOAT32, RINGMASTER_SUM, NULL));
  }
  check(ringmaster_tensors_wait_all(ring, 60));
  return now_us() - begin;
}

int main(int argc, char** argv) {
  const int count = argc == 4 ? atoi(argv[1]) : 0, steps = argc == 4 ? atoi(argv[3]) : 0;
  const size_t floats = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
  if (count < 1 || count > MOST_TENSORS || steps < 1 || steps > MOST_STEPS || floats < 1) {
    fprintf(stderr, "usage: fused-tensors TENSORS FLOATS_OF_EACH STEPS\n");
    return 2;
  }
  ringmaster_session* session;
  check(ringmaster_session_open(&session));
  check(ringmaster_session_join(session));
  ringmaster_communicator* ring = ringmaster_session_communicator(session);
  for (int i = 0; i < count; ++i) {
    tensors[i] = malloc((floats + GAP) * sizeof(float));
    if (tensors[i] == NULL) return 1;
  }
  for (int turn = 0; turn < steps; ++turn) times[turn] = step(ring, count, floats, (float)turn);
  const float expected = (float)((steps - 1) * ringmaster_size(ring));
  if (tensors[count - 1][floats - 1] != expected) {
    fprintf(stderr, "fused-tensors: a sum of %g, not %g\n", (double)tensors[count - 1][floats - 1],
            (double)expected);
    return 1;
  }
  qsort(times, (size_t)steps, sizeof(double), by_value);
  if (ringmaster_position(ring) == 0) {
    printf("{\"tensors\":%d,\"floats\":%zu,\"median_us\":%.0f,\"p90_us\":%.0f}\n", count, floats,
           times[steps / 2], times[steps * 9 / 10]);
  }
  check(ringmaster_session_finish(session));
  ringmaster_session_close(session);
  return 0;
}

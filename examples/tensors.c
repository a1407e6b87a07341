/* SPDX-License-Identifier: Apache-2.0 */
/* Named tensors in C: fits y = 3x + 1 as elastic.c does, but hands each gradient in as soon as it
 * is known, in an order of the rank's own, and waits for all of them at the step's end. Try:
 *   ringrun -np 3 --elastic 1:3 --drill kill:1@500 tensors-c 2000 */
#include <stdio.h>
#include <stdlib.h>

#include "collectives/ringmaster_tensors.h"
#include "worker/ringmaster_session.h"

enum { kPoints = 3000 };

static ringmaster_status hand_in(ringmaster_communicator* ring, const char* name, double* value) {
  return ringmaster_tensor_all_reduce(ring, name, value, value, 1, RINGMASTER_FLOAT64,
                                      RINGMASTER_SUM, NULL);
}

/* The gradient by one of the two weights: x for the slope, 1 for the offset. */
static double gradient(ringmaster_communicator* ring, const double weights[2], int by) {
  double sum = 0;
  for (int point = ringmaster_position(ring); point < kPoints; point += ringmaster_size(ring)) {
    const double x = point * 1e-3, y = 3 * x + 1;
    sum += (weights[0] * x + weights[1] - y) * (by == 0 ? x : 1) / kPoints;
  }
  return sum;
}

static ringmaster_status step(ringmaster_communicator* ring, double weights[2]) {
  static const char* const names[2] = {"slope", "offset"};
  double gradients[2] = {0, 0};
  ringmaster_status status = RINGMASTER_OK, waited;
  for (int turn = 0; turn < 2 && status == RINGMASTER_OK; ++turn) {
    const int by = (turn + ringmaster_position(ring)) % 2;
    gradients[by] = gradient(ring, weights, by);
    status = hand_in(ring, names[by], &gradients[by]); /* reduced while the other is computed */
  }
  /* In any case: the array is the library's until all of it is over. */
  waited = ringmaster_tensors_wait_all(ring, 60);
  if (status == RINGMASTER_OK) status = waited;
  if (status != RINGMASTER_OK) return status; /* the state is as it was: the step is repeated */
  weights[0] -= 0.3 * gradients[0];
  weights[1] -= 0.3 * gradients[1];
  return RINGMASTER_OK;
}

int main(int argc, char** argv) {
  const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 2000;
  double weights[2] = {0, 0};
  ringmaster_session* session = NULL;
  ringmaster_status status = ringmaster_session_open(&session);
  if (status == RINGMASTER_OK) {
    status = ringmaster_session_add_state(session, weights, sizeof weights);
  }
  while (status == RINGMASTER_OK || status == RINGMASTER_GENERATION_CHANGED) {
    status = ringmaster_session_join(session);
    while (status == RINGMASTER_OK && ringmaster_session_steps(session) < steps) {
      status = step(ringmaster_session_communicator(session), weights);
      if (status == RINGMASTER_OK) status = ringmaster_session_step_finished(session);
    }
    if (status == RINGMASTER_OK) status = ringmaster_session_finish(session);
    if (status == RINGMASTER_OK) break;
  }
  if (status != RINGMASTER_OK) {
    fprintf(stderr, "tensors-c: %s\n", ringmaster_error_message());
  } else if (ringmaster_position(ringmaster_session_communicator(session)) == 0) {
    printf("y = %.4f x + %.4f after %ld steps\n", weights[0], weights[1], steps);
  }
  ringmaster_session_close(session);
  return status == RINGMASTER_OK ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The same in C: fits y = 3x + 1, each rank on its share of the points, through losses. Try:
 *   ringrun -np 3 --elastic 1:3 --drill kill:1@500 elastic-c 2000 */
#include <stdio.h>
#include <stdlib.h>

#include "worker/ringmaster_session.h"

enum { kPoints = 3000 };

static ringmaster_status step(ringmaster_communicator* ring, double weights[2]) {
  double gradient[2] = {0, 0};
  for (int point = ringmaster_position(ring); point < kPoints; point += ringmaster_size(ring)) {
    const double x = point * 1e-3, y = 3 * x + 1;
    const double error = weights[0] * x + weights[1] - y;
    gradient[0] += error * x / kPoints;
    gradient[1] += error / kPoints;
  }
  ringmaster_status status =
      ringmaster_all_reduce(ring, gradient, gradient, 2, RINGMASTER_FLOAT64, RINGMASTER_SUM);
  if (status != RINGMASTER_OK) return status; /* the state is as it was: the step is repeated */
  weights[0] -= 0.3 * gradient[0];
  weights[1] -= 0.3 * gradient[1];
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
    fprintf(stderr, "elastic-c: %s\n", ringmaster_error_message());
  } else if (ringmaster_position(ringmaster_session_communicator(session)) == 0) {
    printf("y = %.4f x + %.4f after %ld steps\n", weights[0], weights[1], steps);
  }
  ringmaster_session_close(session);
  return status == RINGMASTER_OK ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The C ABI of the session: how one rank of an elastic job joins generations, keeps its state equal
 * to the others', and says what it has finished. Start the program with
 * `ringrun -np N --elastic MIN:N PROGRAM`; started by hand it is a world of one rank.
 *
 *     ringmaster_session_open(&session);
 *     ringmaster_session_add_state(session, weights, sizeof weights);     // all that must survive
 *     while (!ended) {
 *       status = ringmaster_session_join(session);          // waits; then all ranks hold one state
 *       while (status == RINGMASTER_OK && ringmaster_session_steps(session) < steps) {
 *         ...compute; status = ringmaster_all_reduce(...); if it is OK, change the weights...
 *         if (status == RINGMASTER_OK) status = ringmaster_session_step_finished(session);
 *       }
 *       if (status == RINGMASTER_OK) status = ringmaster_session_finish(session);
 *       ended = status != RINGMASTER_GENERATION_CHANGED;
 *     }
 *     ringmaster_session_close(session);
 *
 * The rule that makes it work: change the state only after every collective of the step succeeded.
 *
 * Thread rules: one thread at a time may use a session and its communicator.
 */
#pragma once

#include "collectives/ringmaster_collectives.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ringmaster_session ringmaster_session;

/** One generation as this rank sees it. `size_of_struct` is set by the caller (sizeof). */
typedef struct ringmaster_generation {
  size_t size_of_struct;
  int64_t generation;  /**< its number; grows with every loss and every join */
  int rank;            /**< this rank's number, the same for its whole life */
  int position;        /**< 0 to size-1, dense; data is divided by position */
  int size;            /**< how many ranks are in */
  int64_t steps;       /**< steps finished in the state that all ranks hold now */
  int source;          /**< number of the rank whose state it is */
  double heal_seconds; /**< from the loss or join that ended the last generation; 0 for the first */
  int joined;          /**< ranks in that were not in the last generation */
  int lost;            /**< ranks of the last generation that are not in */
  const char* members; /**< "0 2 3": numbers in order of position; valid until the next join */
  const char* reason;  /**< why it was formed, for people; valid until the next join */
} ringmaster_generation;

/** Opens the session of this process. NULL is stored in *session on an error. */
RINGMASTER_EXPORT ringmaster_status ringmaster_session_open(ringmaster_session** session);

/** Registers memory that is part of the state: weights, optimiser, cursors. It must stay valid and
 *  be registered in the same order and sizes on every rank, before the first join. */
RINGMASTER_EXPORT ringmaster_status ringmaster_session_add_state(ringmaster_session* session,
                                                                 void* data, size_t bytes);

/** Collectives of this session take arrays in the memory of GPU `device` (its number in this
 *  process) as well as in host memory; all ranks call it, before the first join. `stream` is the
 *  CUDA stream on which the program's kernels run (NULL: the default stream): a collective begins
 *  after what is on it, and is complete when it returns. docs/gpus.md says more. */
RINGMASTER_EXPORT ringmaster_status ringmaster_session_use_gpu(ringmaster_session* session,
                                                               int device, void* stream);

/** How arrays on GPUs travel in the generation joined last, for people: "NCCL 2.28.9", or "staged
 *  through host memory: " and why; "" without a GPU. Valid until the next join. */
RINGMASTER_EXPORT const char* ringmaster_session_gpu_path(const ringmaster_session* session);

/** Waits for the next generation, then makes the registered state equal on all ranks: that of the
 *  rank with the most finished steps (lowest position first). Memory already valid is never left
 *  half-written: what arrives is staged. RINGMASTER_GENERATION_CHANGED never comes out: it waits
 *  on. RINGMASTER_CLOSED: the launcher is gone; end. */
RINGMASTER_EXPORT ringmaster_status ringmaster_session_join(ringmaster_session* session);

/** The communicator of the generation joined last; owned by the session, valid until the next join.
 */
RINGMASTER_EXPORT ringmaster_communicator* ringmaster_session_communicator(
    ringmaster_session* session);

/** Fills `generation` (set size_of_struct first) with the generation joined last. */
RINGMASTER_EXPORT ringmaster_status
ringmaster_session_generation(const ringmaster_session* session, ringmaster_generation* generation);

/** How many steps the state holds: the number of the next step, counted from 0. */
RINGMASTER_EXPORT int64_t ringmaster_session_steps(const ringmaster_session* session);

/** Says that one more step is in the state. */
RINGMASTER_EXPORT ringmaster_status ringmaster_session_step_finished(ringmaster_session* session);

/** Waits until every rank calls it: the job's work is complete, and a rank lost from now on is not
 *  replaced. Everything that must not be lost (results written) comes before it. */
RINGMASTER_EXPORT ringmaster_status ringmaster_session_finish(ringmaster_session* session);

/** Tells the launcher why this rank is about to end with an error: people see the line once,
 *  however many ranks say it. Returns 0 when nobody listens (no launcher): print it yourself. */
RINGMASTER_EXPORT int ringmaster_session_fail(ringmaster_session* session, const char* message);

RINGMASTER_EXPORT void ringmaster_session_close(ringmaster_session* session);

#ifdef __cplusplus
}
#endif

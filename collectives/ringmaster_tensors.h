/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Named tensors: each rank hands them in as it has them, in any order; the library agrees with the
 * other ranks on those that all have, fuses small ones into buckets and reduces them on its own
 * thread while the program goes on. And a timeline of what the collectives do.
 *
 *     for each layer, last to first: ringmaster_tensor_all_reduce(ring, name, grad, grad, ...,
 * NULL); status = ringmaster_tensors_wait_all(ring, 60);
 *
 * Every rank hands in the same names between two waits for all, with the same count, type and
 * reduction; one that differs, or that a rank keeps back, is an error on all ranks that names it.
 * Names that recur are cheap: after their first time ranks agree by one small all-reduce.
 *
 * Any other call on the communicator, and ringmaster_tensors_wait_all, closes the batch of what
 * was handed in before: ranks do that at the same point of their programs, and what they hand in
 * afterwards belongs to the next batch. When the generation ends, all ends with
 * RINGMASTER_GENERATION_CHANGED; after the join the names may be handed in anew.
 *
 * The results have the same bits on all ranks. Inside a host they also do not depend on which
 * tensors were fused; between hosts they do, and so on which came together.
 *
 * Memory must stay valid and untouched until the tensor is over, as for started operations. At most
 * 4096 tensors may be on their way on a rank.
 *
 * Thread rules: as for the communicator, one thread at a time; any thread may wait for a work.
 */
#pragma once

#include "collectives/ringmaster_async.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How named tensors are treated. Zeros mean the defaults. */
typedef struct ringmaster_tensor_settings {
  size_t size_of_struct; /**< set by the caller (sizeof) */
  size_t bucket_bytes;   /**< tensors are fused up to here; default 25 MiB; the same on all ranks */
  double warn_seconds; /**< how long a tensor may wait for a rank before it is named; default 60 */
} ringmaster_tensor_settings;

/** Before the first tensor of a generation; kept for those that follow. */
RINGMASTER_EXPORT ringmaster_status ringmaster_tensors_configure(
    ringmaster_communicator* communicator, const ringmaster_tensor_settings* settings);

/**
 * Hands in a tensor: output[i] becomes the reduction of every rank's input[i]. In place: input ==
 * output. The name has 1 to 255 bytes and is free again when the tensor is over. `work` may be
 * NULL, for who waits for all; else *work is to be freed (ringmaster_work_free).
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_tensor_all_reduce(
    ringmaster_communicator* communicator, const char* name, const void* input, void* output,
    size_t count, ringmaster_type type, ringmaster_reduction reduction, ringmaster_work** work);

/**
 * Waits at most `seconds` until all tensors that this rank has handed in are over. Returns the
 * first error of them since the last such call, or RINGMASTER_TIMED_OUT with some on their way.
 */
RINGMASTER_EXPORT ringmaster_status
ringmaster_tensors_wait_all(ringmaster_communicator* communicator, double seconds);

/**
 * Which tensors have waited for ranks for longer than warn_seconds, and for which: a line for
 * people, or "". Looked at every few seconds while something waits. Valid until the next call.
 */
RINGMASTER_EXPORT const char* ringmaster_tensors_warning(ringmaster_communicator* communicator);

/**
 * From now on writes what the collectives do to a file that Perfetto and chrome://tracing open
 * (Chrome's trace event format). `%r` in the path becomes this rank's number; without one, only the
 * rank with the lowest number writes. `append` not 0 goes on with a file that an earlier process of
 * this rank has written. Goes on through the generations, until ringmaster_timeline_end or the
 * close of the session.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_timeline_begin(ringmaster_communicator* communicator,
                                                              const char* path, int append);

/** Ends the timeline and says whether all of it could be written. Nothing when there is none. */
RINGMASTER_EXPORT ringmaster_status ringmaster_timeline_end(ringmaster_communicator* communicator);

#ifdef __cplusplus
}
#endif

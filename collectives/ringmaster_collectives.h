/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The C ABI of the collectives: what a program calls to exchange arrays with the other ranks of its
 * generation. The session (worker/ringmaster_session.h) hands out the communicator.
 *
 * Every rank of a generation calls the same operations in the same order with the same count, type
 * and reduction; a rank that does not is named, on all ranks, with both calls. The results of a
 * reduction are bitwise equal on all ranks, and the same call of the same members repeats them:
 * inside a host elements are reduced in the order of positions, between hosts in an order that
 * follows from membership, count and type.
 *
 * Every function returns RINGMASTER_OK or an error; ringmaster_error_message() has its text. An
 * operation that failed leaves its outputs undefined. RINGMASTER_GENERATION_CHANGED means that a
 * rank was lost or joined: drop the step, join again (ringmaster_session_join) and repeat it.
 *
 * Thread rules: one thread at a time may use a communicator. It never calls back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RINGMASTER_EXPORT __attribute__((visibility("default")))

/** What a call came to. The numbers are part of the ABI. */
typedef enum ringmaster_status {
  RINGMASTER_OK = 0,
  RINGMASTER_INVALID = 1,
  RINGMASTER_NOT_FOUND = 2,
  RINGMASTER_DENIED = 3,
  RINGMASTER_IO = 4,
  RINGMASTER_CORRUPT = 5,
  RINGMASTER_EXHAUSTED = 6,
  RINGMASTER_TIMED_OUT = 7,
  RINGMASTER_GENERATION_CHANGED = 8,
  RINGMASTER_MISMATCH = 9,
  RINGMASTER_CLOSED = 10
} ringmaster_status;

/** The type of one element. */
typedef enum ringmaster_type {
  RINGMASTER_FLOAT32 = 0,
  RINGMASTER_FLOAT64 = 1,
  RINGMASTER_INT32 = 2,
  RINGMASTER_INT64 = 3,
  RINGMASTER_UINT8 = 4,
  RINGMASTER_FLOAT16 = 5, /* IEEE 754 binary16 */
  RINGMASTER_BFLOAT16 = 6 /* the upper half of a float32 */
} ringmaster_type;

/** How elements of several ranks become one. The average is the sum times 1/size, floats only. */
typedef enum ringmaster_reduction {
  RINGMASTER_SUM = 0,
  RINGMASTER_AVERAGE = 1,
  RINGMASTER_MIN = 2,
  RINGMASTER_MAX = 3,
  RINGMASTER_PRODUCT = 4
} ringmaster_reduction;

typedef struct ringmaster_communicator ringmaster_communicator;

/** How many ranks the generation has. */
RINGMASTER_EXPORT int ringmaster_size(const ringmaster_communicator* communicator);

/** This rank's position, 0 to size-1, dense, valid in this generation only. */
RINGMASTER_EXPORT int ringmaster_position(const ringmaster_communicator* communicator);

/** output[i] = reduction of every rank's input[i], for `count` elements. In place: input == output.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_all_reduce(ringmaster_communicator* communicator,
                                                          const void* input, void* output,
                                                          size_t count, ringmaster_type type,
                                                          ringmaster_reduction reduction);

/** Every rank's `data` (`count` elements) becomes that of the rank at position `root`. */
RINGMASTER_EXPORT ringmaster_status ringmaster_broadcast(ringmaster_communicator* communicator,
                                                         void* data, size_t count,
                                                         ringmaster_type type, int root);

/** output (size * count elements) = the inputs (`count` elements each) in the order of positions.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_all_gather(ringmaster_communicator* communicator,
                                                          const void* input, void* output,
                                                          size_t count, ringmaster_type type);

/**
 * The same with a count for each position: `counts` has `size` entries, the same on all ranks, and
 * `output` their sum. In place: `input` is this rank's own part of `output`.
 */
RINGMASTER_EXPORT ringmaster_status
ringmaster_all_gather_counts(ringmaster_communicator* communicator, const void* input, void* output,
                             const size_t* counts, ringmaster_type type);

/**
 * output = this rank's part of the reduction of every rank's `input`. `counts` has `size` entries,
 * the same on all ranks: how many elements each position gets, in order; `input` has their sum. In
 * place: `output` is this rank's own part of `input`.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_reduce_scatter(ringmaster_communicator* communicator,
                                                              const void* input, void* output,
                                                              const size_t* counts,
                                                              ringmaster_type type,
                                                              ringmaster_reduction reduction);

/**
 * `input` holds a part for each position (`give[i]` elements for position i, in order); `output`
 * becomes the parts that the positions give this rank (`take[i]` elements from position i). Both
 * arrays have `size` entries; what i gives j is what j takes from i. Not in place.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_all_to_all(ringmaster_communicator* communicator,
                                                          const void* input, const size_t* give,
                                                          void* output, const size_t* take,
                                                          ringmaster_type type);

/** Returns on no rank before every rank has called it. */
RINGMASTER_EXPORT ringmaster_status ringmaster_barrier(ringmaster_communicator* communicator);

/** How long one operation may wait for the other ranks, in seconds (default 1800). */
RINGMASTER_EXPORT ringmaster_status ringmaster_set_timeout(ringmaster_communicator* communicator,
                                                           double seconds);

/** The text of this thread's last error: what failed, to what, why. Valid until the next call. */
RINGMASTER_EXPORT const char* ringmaster_error_message(void);

#ifdef __cplusplus
}
#endif

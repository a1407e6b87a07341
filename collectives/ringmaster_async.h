/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Operations that are started now and waited for later, groups, and send/receive.
 *
 * Started operations are carried out one after the other, in the order of their start, by one
 * thread that the library starts at the first of them. Blocking calls keep their place in that
 * order: one that finds operations on their way runs after them. The order of all calls, started
 * or blocking, is the same on all ranks, as ever.
 *
 * The arrays of a started operation must stay valid, outputs untouched and inputs unchanged, until
 * it is over; arrays of counts are copied. After an error all that was started behind it ends with
 * it. When the generation ends all of it ends with RINGMASTER_GENERATION_CHANGED; joining again and
 * closing the session end it too, and from then on its memory is not touched any more.
 *
 * At most 1024 operations may be on their way: one more is RINGMASTER_EXHAUSTED.
 *
 * Thread rules: as for the communicator, one thread at a time; but any thread may wait for a work.
 */
#pragma once

#include "collectives/ringmaster_collectives.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An operation that was started. */
typedef struct ringmaster_work ringmaster_work;

/**
 * Waits at most `seconds` for the end of the operation and returns what it came to.
 * RINGMASTER_TIMED_OUT leaves it on its way, unless ringmaster_work_done() says that it is over:
 * then it is the operation's own time-out (ringmaster_set_timeout). May be called again.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_work_wait(ringmaster_work* work, double seconds);

/** 1 when the operation is over, well or not, else 0. */
RINGMASTER_EXPORT int ringmaster_work_done(const ringmaster_work* work);

/** Whoever got a work frees it, at any time, once. The operation goes on. NULL is nothing. */
RINGMASTER_EXPORT void ringmaster_work_free(ringmaster_work* work);

/* The operations of ringmaster_collectives.h, started. On an error *work is NULL. */

RINGMASTER_EXPORT ringmaster_status ringmaster_all_reduce_start(
    ringmaster_communicator* communicator, const void* input, void* output, size_t count,
    ringmaster_type type, ringmaster_reduction reduction, ringmaster_work** work);

RINGMASTER_EXPORT ringmaster_status
ringmaster_broadcast_start(ringmaster_communicator* communicator, void* data, size_t count,
                           ringmaster_type type, int root, ringmaster_work** work);

RINGMASTER_EXPORT ringmaster_status
ringmaster_all_gather_start(ringmaster_communicator* communicator, const void* input, void* output,
                            size_t count, ringmaster_type type, ringmaster_work** work);

RINGMASTER_EXPORT ringmaster_status ringmaster_all_gather_counts_start(
    ringmaster_communicator* communicator, const void* input, void* output, const size_t* counts,
    ringmaster_type type, ringmaster_work** work);

RINGMASTER_EXPORT ringmaster_status ringmaster_reduce_scatter_start(
    ringmaster_communicator* communicator, const void* input, void* output, const size_t* counts,
    ringmaster_type type, ringmaster_reduction reduction, ringmaster_work** work);

RINGMASTER_EXPORT ringmaster_status ringmaster_all_to_all_start(
    ringmaster_communicator* communicator, const void* input, const size_t* give, void* output,
    const size_t* take, ringmaster_type type, ringmaster_work** work);

RINGMASTER_EXPORT ringmaster_status ringmaster_barrier_start(ringmaster_communicator* communicator,
                                                             ringmaster_work** work);

/**
 * Sends to one position what that one receives from this one: the n-th send meets the n-th
 * receive, of the same count and type. Only the two take part. May wait for the receiver: two
 * ranks that send to each other do it in a group.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_send(ringmaster_communicator* communicator,
                                                    const void* data, size_t count,
                                                    ringmaster_type type, int to);
RINGMASTER_EXPORT ringmaster_status ringmaster_receive(ringmaster_communicator* communicator,
                                                       void* data, size_t count,
                                                       ringmaster_type type, int from);
RINGMASTER_EXPORT ringmaster_status ringmaster_send_start(ringmaster_communicator* communicator,
                                                          const void* data, size_t count,
                                                          ringmaster_type type, int to,
                                                          ringmaster_work** work);
RINGMASTER_EXPORT ringmaster_status ringmaster_receive_start(ringmaster_communicator* communicator,
                                                             void* data, size_t count,
                                                             ringmaster_type type, int from,
                                                             ringmaster_work** work);

/**
 * Between the begin and the end of a group, ringmaster_all_reduce, ringmaster_send and
 * ringmaster_receive only note what is to be done (at most 4096 calls); other operations are
 * RINGMASTER_INVALID there. The end carries it out together: first the all-reduces, which all ranks
 * have noted in the same order, then all sends and receives at once. When a call within the group
 * was wrong, the end does nothing and returns that error.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_group_begin(ringmaster_communicator* communicator);
RINGMASTER_EXPORT ringmaster_status ringmaster_group_end(ringmaster_communicator* communicator);
/** Ends the group and starts what it holds. */
RINGMASTER_EXPORT ringmaster_status
ringmaster_group_end_start(ringmaster_communicator* communicator, ringmaster_work** work);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The C ABI of memory that all ranks of a host see. Operations on it need no copies; everything
 * else is as in collectives/ringmaster_collectives.h, which has the types.
 *
 * Thread rules: any thread, also while an operation on other memory is under way.
 */
#pragma once

#include "collectives/ringmaster_collectives.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Memory that the other ranks of this host see: all-reduces whose inputs and outputs lie in such
 * memory on all ranks need no copies. It is zeroed, aligned to a cache line, and takes room in
 * memory at once. It belongs to the session, whatever generation it is in, and ends with it.
 *
 * The others write results into it. After an operation that failed they may do so until the next
 * join has returned: until then an array that was handed to it may change.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_allocate(ringmaster_communicator* communicator,
                                                        size_t bytes, void** memory);

/** Gives it back. NULL is nothing to give back. */
RINGMASTER_EXPORT ringmaster_status ringmaster_free(ringmaster_communicator* communicator,
                                                    void* memory);

/**
 * Makes the whole pages of a buffer such memory, in place and with what they hold, so that arrays
 * of other libraries need no copies either. Nobody may touch the buffer during the call, and it may
 * not be given back (or moved by realloc) before ringmaster_release. A child that is forked shares
 * these pages with its parent instead of having copies.
 */
RINGMASTER_EXPORT ringmaster_status ringmaster_register(ringmaster_communicator* communicator,
                                                        void* data, size_t bytes);

/** Makes the buffer ordinary memory again, with what it holds. The session's end does so too. */
RINGMASTER_EXPORT ringmaster_status ringmaster_release(ringmaster_communicator* communicator,
                                                       void* data);

#ifdef __cplusplus
}
#endif

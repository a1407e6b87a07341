// SPDX-License-Identifier: Apache-2.0
//
// The streams of the CUDA stand-in, as the NCCL stand-in uses them.
//
// Work on a stream is done by whoever asks how the stream is: nothing runs by itself, so a rank
// that reads a result without having waited for it reads what was there before. Everything happens
// under one lock, which also orders the memory that ranks give each other.
#pragma once

#include <functional>
#include <mutex>

namespace ringmaster::fakes {

#define RINGMASTER_STAND_IN_EXPORT __attribute__((visibility("default")))

/// Called until it returns true.
using StreamWork = std::function<bool()>;

/// The lock of both stand-ins.
RINGMASTER_STAND_IN_EXPORT std::recursive_mutex& stand_in_lock();
/// Puts work on the stream; null is the current device's default stream.
RINGMASTER_STAND_IN_EXPORT void put_on_stream(void* stream, StreamWork work);
/// The calling thread's.
RINGMASTER_STAND_IN_EXPORT int current_device();

}  // namespace ringmaster::fakes

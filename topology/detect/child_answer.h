// SPDX-License-Identifier: Apache-2.0
//
// Asks a library that may hang, or crash, in a child process.
//
// A call into a driver whose device is gone can wait for ever in the kernel, where nothing ends it,
// and a library that somebody put together by hand can end the process that loads it. The child is
// given up after a deadline; a thread could be neither given up nor survived.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ringmaster::topology {

/// What `ask` gives in a child process. Errc::timed_out after `patience`, Errc::io where the child
/// ended without an answer; `who` is asked ("NVIDIA's driver"), for these messages. Thread rules:
/// the child is a copy of this process with one thread: call it before others are started.
Result<std::string> read_child_answer(const std::string& who, Duration patience,
                                      const std::function<Result<std::string>()>& ask);

}  // namespace ringmaster::topology

// SPDX-License-Identifier: Apache-2.0
//
// The exit codes of ringrun that are its own, said once: --help prints them from here. A job that
// ran ends with the code of its root cause.
#pragma once

#include <string>

#include "base/result.h"

namespace ringmaster::launcher {

inline constexpr int kExitNoProgress = 93;      // as NVIDIA's resiliency launcher: do not requeue
inline constexpr int kExitTooFew = 94;          // slots, cores, GPUs, open files
inline constexpr int kExitHostList = 95;        // hosts cannot be read from what names them
inline constexpr int kExitOtherHosts = 96;      // ranks would have to run on other hosts
inline constexpr int kExitTimeout = 110;        // as mpirun's
inline constexpr int kExitNotExecutable = 126;  // as shells'
inline constexpr int kExitNotFound = 127;       // as shells'

/// Pure: how ringrun ends when there is no plan for this reason, 2 for a wrong command line.
int exit_code_of_plan(const Error& error);

/// The codes with what they mean, a few to a line.
std::string exit_codes_text();

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// mpirun's command line in ringrun's words: Open MPI 4's common options, and those of MPICH's
// mpiexec whose names do not mean something else there.
//
// Facts: mpirun's manual page of Open MPI 4.1, and what 4.1.4 does.
//
// Pure.
#pragma once

#include "launcher/dialects/rules.h"

namespace ringmaster::launcher {

/// `arguments` without the launcher's name. Fails for what is unknown, misspelt or not here; errors
/// name the option as the user knows it.
Result<Translation> translate_mpirun(const std::vector<std::string>& arguments);

}  // namespace ringmaster::launcher

// SPDX-License-Identifier: Apache-2.0
//
// What the environment says to the doctor.
#pragma once

#include <string>

namespace ringmaster::launcher::doctor {

/// The folder for temporary files: TMPDIR, else /tmp.
std::string read_temporary_folder();

}  // namespace ringmaster::launcher::doctor

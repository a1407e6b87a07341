// SPDX-License-Identifier: Apache-2.0
//
// Libraries of ours that are loaded only by programs that need them lie beside the file that holds
// this code, or where libraries lie next to programs.
#pragma once

#include <string>
#include <vector>

namespace ringmaster::collectives {

/// Where the library may be, in the order to try; the system's own search comes last.
std::vector<std::string> neighbour_files(const std::string& library);

}  // namespace ringmaster::collectives

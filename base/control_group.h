// SPDX-License-Identifier: Apache-2.0
//
// Which control group this process is in, in version 1, version 2 and where both are mounted.
#pragma once

#include <string>
#include <string_view>

namespace ringmaster {

/// The group's path in the hierarchy of `controller` ("" is that of version 2), as in "/job/step";
/// "" when there is none. `root` ("" is the machine's) is where /proc is found.
std::string own_control_group(const std::string& root, std::string_view controller);

/// Pure: the group above; "" above "/".
std::string group_above(const std::string& group);

}  // namespace ringmaster

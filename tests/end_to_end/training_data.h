// SPDX-License-Identifier: Apache-2.0
//
// A small data set in the files that ringmaster-train reads, for runs that end within a second.
#pragma once

#include <string>

namespace ringmaster::tests {

inline constexpr int kTrainImages = 1200;
inline constexpr int kTestImages = 200;

/// The folder of the one data set of this process, written at the first call.
const std::string& data_folder();

}  // namespace ringmaster::tests

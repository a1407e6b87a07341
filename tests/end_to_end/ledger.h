// SPDX-License-Identifier: Apache-2.0
//
// Whether a training run that was disturbed did its work: every sample once an epoch in the history
// of the final weights, the same weights on all ranks.
#pragma once

#include <string>

namespace ringmaster::tests {

/// Fails the test, with what the report would say, when the metrics file does not add up to a whole
/// run.
void expect_whole_run(const std::string& metrics_path);

}  // namespace ringmaster::tests

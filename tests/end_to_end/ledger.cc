// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/ledger.h"

#include <gtest/gtest.h>

#include "launcher/report/summary.h"

namespace ringmaster::tests {

void expect_whole_run(const std::string& metrics_path) {
  const auto metrics = launcher::read_metrics(metrics_path);
  ASSERT_TRUE(metrics.ok()) << metrics.error().message;
  const launcher::Summary summary = launcher::summarize(*metrics);
  EXPECT_TRUE(summary.finished);
  EXPECT_TRUE(summary.ledger.good) << summary.ledger.text;
  EXPECT_TRUE(summary.weights.good) << summary.weights.text;
}

}  // namespace ringmaster::tests

// SPDX-License-Identifier: Apache-2.0
//
// What a C caller may get wrong: an error with a message, and nothing is touched.
#include "collectives/handle.h"

#include <gtest/gtest.h>

#include <cstring>

#include "collectives/solo_communicator.h"

namespace ringmaster::collectives {
namespace {

class Handle : public testing::Test {
 protected:
  Handle() { ring_.engine = std::make_unique<SoloCommunicator>(); }
  void expect_invalid(ringmaster_status status, const char* message) {
    EXPECT_EQ(status, RINGMASTER_INVALID);
    EXPECT_STREQ(ringmaster_error_message(), message);
  }

  ringmaster_communicator ring_;
  float in_[3] = {1, 2, 3}, out_[3] = {};
  const size_t three_[1] = {3}, two_[1] = {2}, huge_[1] = {SIZE_MAX / 4};
};

TEST_F(Handle, WorksForAWorldOfOne) {
  EXPECT_EQ(
      ringmaster_reduce_scatter(&ring_, in_, out_, three_, RINGMASTER_FLOAT32, RINGMASTER_AVERAGE),
      RINGMASTER_OK);
  EXPECT_EQ(std::memcmp(in_, out_, sizeof in_), 0);
  EXPECT_EQ(ringmaster_all_to_all(&ring_, in_, two_, out_, two_, RINGMASTER_FLOAT32),
            RINGMASTER_OK);
  EXPECT_EQ(ringmaster_all_gather_counts(&ring_, in_, out_, three_, RINGMASTER_FLOAT32),
            RINGMASTER_OK);
}

TEST_F(Handle, NamesWhatIsWrong) {
  const auto no_type = static_cast<ringmaster_type>(7);
  const auto no_reduction = static_cast<ringmaster_reduction>(7);
  expect_invalid(ringmaster_all_gather_counts(nullptr, in_, out_, three_, RINGMASTER_FLOAT32),
                 "all_gather: no communicator (join first)");
  expect_invalid(ringmaster_all_gather_counts(&ring_, in_, nullptr, three_, RINGMASTER_FLOAT32),
                 "all_gather: a null pointer");
  expect_invalid(ringmaster_all_gather_counts(&ring_, in_, out_, nullptr, RINGMASTER_FLOAT32),
                 "all_gather: no counts");
  expect_invalid(ringmaster_all_gather_counts(&ring_, in_, out_, huge_, RINGMASTER_FLOAT32),
                 "all_gather: more elements than memory");
  expect_invalid(ringmaster_all_gather_counts(&ring_, in_, out_, three_, no_type),
                 "all_gather: there is no type 7");
  expect_invalid(
      ringmaster_reduce_scatter(&ring_, in_, out_, three_, RINGMASTER_FLOAT32, no_reduction),
      "reduce_scatter: there is no reduction 7");
  expect_invalid(ringmaster_all_to_all(&ring_, in_, three_, out_, two_, RINGMASTER_FLOAT32),
                 "all_to_all: a position takes another count than it is given");
  expect_invalid(ringmaster_all_reduce(&ring_, in_, out_, 3, RINGMASTER_INT32, RINGMASTER_AVERAGE),
                 "all_reduce: the average is for floats only");
}

}  // namespace
}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace ringmaster {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  Result<int> value = 3;
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 3);
  Result<int> error = Error{Errc::io, "read x: gone"};
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().message, "read x: gone");
}

TEST(Result, TurnsErrnoIntoACodeAndText) {
  const Error error = errno_error(ENOENT, "open /x");
  EXPECT_EQ(error.code, Errc::not_found);
  EXPECT_EQ(error.message, "open /x: No such file or directory");
  EXPECT_EQ(errno_error(ENOSPC, "write").code, Errc::exhausted);
}

TEST(ResultDeathTest, ReadingTheValueOfAFailureIsABug) {
  Result<int> error = Error{Errc::io, "read x: gone"};
  EXPECT_DEATH(*error, "read x: gone");
}

TEST(CheckDeathTest, PrintsBothValues) { EXPECT_DEATH(CHECK_EQ(1 + 1, 3), "2 against 3"); }

}  // namespace
}  // namespace ringmaster

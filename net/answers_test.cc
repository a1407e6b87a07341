// SPDX-License-Identifier: Apache-2.0
#include "net/answers.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

namespace ringmaster::net {
namespace {

TEST(Answers, EachComesOnceAndALateOneIsReplacedByItsLimit) {
  boost::asio::io_context loop;
  Answers<std::string> answers(loop);
  std::string heard;
  const auto hear = [&](const std::string& text) { heard += text + ";"; };
  const auto prompt = answers.expect(std::chrono::hours(1), hear, [] { return "never"; });
  const auto late = answers.expect(std::chrono::milliseconds(1), hear, [] { return "too late"; });
  answers.arrive(prompt, "here");
  answers.arrive(prompt, "twice");
  loop.run();
  answers.arrive(late, "after all");
  answers.arrive(17, "of nobody");
  EXPECT_EQ(heard, "here;too late;");
}

TEST(Answers, TheirOwnersEndDropsThem) {
  boost::asio::io_context loop;
  bool heard = false;
  {
    Answers<int> answers(loop);
    answers.expect(
        std::chrono::milliseconds(1), [&](int) { heard = true; }, [] { return 1; });
  }
  loop.run();
  EXPECT_FALSE(heard);
}

}  // namespace
}  // namespace ringmaster::net

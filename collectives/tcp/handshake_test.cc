// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/handshake.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::collectives {
namespace {

Nonce nonce_of(Random& random) {
  Nonce nonce;
  for (std::byte& b : nonce) b = static_cast<std::byte>(random.below(256));
  return nonce;
}

TEST(Handshake, OnlyTheWholeTruthIsTaken) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::string secret(random.below(80) + 1, 'k');
    const Hello hello{static_cast<std::int64_t>(random.below(1000)),
                      static_cast<std::uint32_t>(random.below(100)),
                      static_cast<std::uint32_t>(random.below(100)), nonce_of(random)};
    const HelloBytes sent = encode_hello(hello, secret);
    EXPECT_EQ(decode_hello(sent, secret), hello);
    EXPECT_FALSE(decode_hello(sent, secret + "x"));
    const AnswerBytes answer = make_answer(sent, nonce_of(random), secret);
    EXPECT_TRUE(is_answer(answer, sent, secret));
    const ConfirmBytes confirm = make_confirm(sent, answer, secret);
    EXPECT_TRUE(is_confirm(confirm, sent, answer, secret));

    HelloBytes bad_hello = sent;
    bad_hello[random.below(bad_hello.size())] ^= static_cast<std::byte>(1U << random.below(8));
    EXPECT_FALSE(decode_hello(bad_hello, secret));
    AnswerBytes bad_answer = answer;
    bad_answer[random.below(bad_answer.size())] ^= static_cast<std::byte>(1U << random.below(8));
    EXPECT_FALSE(is_answer(bad_answer, sent, secret));
    EXPECT_FALSE(is_answer(answer, bad_hello, secret));
    EXPECT_FALSE(is_confirm(confirm, sent, bad_answer, secret));
    // Another connection of the same peer: yesterday's confirm is worth nothing.
    const AnswerBytes other = make_answer(sent, nonce_of(random), secret);
    EXPECT_FALSE(is_confirm(confirm, sent, other, secret));
  }
}

}  // namespace
}  // namespace ringmaster::collectives

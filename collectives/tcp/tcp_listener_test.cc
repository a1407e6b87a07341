// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/tcp_listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>

#include "base/random.h"
#include "collectives/tcp/nonce.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

constexpr const char* kSecret = "secret";

FileDescriptor knock(const std::string& endpoint) {
  auto address = parse_endpoint(endpoint);
  FileDescriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(::connect(fd.get(), address->get(), address->length) == 0);
  return fd;
}

template <class Bytes>
void say(const FileDescriptor& fd, const Bytes& bytes) {
  // A guest that was shown out may find the door shut.
  [[maybe_unused]] const auto sent = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

HelloBytes hello_of(std::int64_t generation, std::uint32_t from, const std::string& secret) {
  return encode_hello({generation, from, 1, make_nonce()}, secret);
}

class TcpListenerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto fd = listen_on("127.0.0.1:0");
    ASSERT_TRUE(fd.ok());
    endpoint_ = *endpoint_of(fd->get());
    auto adopted = TcpListener::adopt(fd->release());
    ASSERT_TRUE(adopted.ok());
    listener_.emplace(std::move(*adopted));
    enter(5);
  }
  void enter(std::int64_t generation) { listener_->open({generation, 1, kSecret}); }
  /// The connections come through the loopback at once; their bytes with them.
  void step() { listener_->step(read_clock()); }
  /// The rest of the handshake, on a socket that has said hello.
  void finish(const FileDescriptor& fd, const HelloBytes& hello) {
    AnswerBytes answer;
    ASSERT_EQ(::recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL),
              static_cast<ssize_t>(answer.size()));
    EXPECT_TRUE(is_answer(answer, hello, kSecret));
    say(fd, make_confirm(hello, answer, kSecret));
    step();
  }
  bool was_shown_out(const FileDescriptor& fd) {
    std::byte b;
    return ::recv(fd.get(), &b, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
  }

  std::string endpoint_;
  std::optional<TcpListener> listener_;
};

TEST_F(TcpListenerTest, LetsInWhoHasTheSecret) {
  const auto fd = knock(endpoint_);
  const auto hello = hello_of(5, 0, kSecret);
  say(fd, hello);
  step();
  EXPECT_TRUE(listener_->guests().empty());
  finish(fd, hello);
  EXPECT_TRUE(listener_->take(0).valid());
  EXPECT_TRUE(listener_->guests().empty());
  EXPECT_EQ(listener_->half_open(), 0U);
}

TEST_F(TcpListenerTest, ShowsOutTheRest) {
  for (const auto& hello : {hello_of(5, 0, "another"), hello_of(4, 0, kSecret),
                            hello_of(5, 2, kSecret), HelloBytes{}}) {
    const auto fd = knock(endpoint_);
    say(fd, hello);
    step();
    EXPECT_TRUE(was_shown_out(fd));
  }
  EXPECT_EQ(listener_->half_open() + listener_->early(), 0U);
}

TEST_F(TcpListenerTest, ARecordedHandshakeIsWorthNothing) {
  const auto first = knock(endpoint_);
  const auto hello = hello_of(5, 0, kSecret);
  say(first, hello);
  step();
  AnswerBytes answer;
  ASSERT_EQ(::recv(first.get(), answer.data(), answer.size(), MSG_WAITALL), 48);
  const auto second = knock(endpoint_);
  say(second, hello);
  step();
  say(second, make_confirm(hello, answer, kSecret));
  step();
  EXPECT_TRUE(listener_->guests().empty());
}

TEST_F(TcpListenerTest, KeepsWhoComesEarly) {
  const auto fd = knock(endpoint_);
  const auto hello = hello_of(7, 0, kSecret);
  say(fd, hello);
  step();
  EXPECT_EQ(listener_->early(), 1U);
  enter(6);
  step();
  EXPECT_EQ(listener_->early(), 1U);
  enter(7);
  finish(fd, hello);
  EXPECT_EQ(listener_->guests().size(), 1U);
  enter(8);
  EXPECT_TRUE(listener_->guests().empty());
}

TEST_F(TcpListenerTest, ManyStrangersAreBoundedAndKeepNobodyOut) {
  std::vector<FileDescriptor> strangers;
  for (std::size_t i = 0; i < 3 * TcpListener::kHalfOpenMax; ++i) {
    strangers.push_back(knock(endpoint_));
    if (i % 3 == 0) say(strangers.back(), hello_of(9 + static_cast<int>(i), 0, kSecret));
    if (i % 3 == 1) say(strangers.back(), std::string("GET / HTTP/1.0\r\n"));
  }
  const auto hello = hello_of(5, 0, kSecret);
  const auto fd = knock(endpoint_);
  say(fd, hello);
  for (int i = 0; i < 10; ++i) {
    step();
    EXPECT_LE(listener_->half_open(), TcpListener::kHalfOpenMax);
    EXPECT_LE(listener_->early(), TcpListener::kEarlyMax);
  }
  finish(fd, hello);
  EXPECT_EQ(listener_->guests().size(), 1U);
  // Who says nothing is shown out in the end.
  listener_->step(read_clock() + 2 * TcpListener::kHelloMax);
  EXPECT_EQ(listener_->half_open(), 0U);
}

TEST(TcpListener, AdoptsOnlyListeners) {
  FileDescriptor fd(socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_EQ(TcpListener::adopt(fd.get()).error().code, Errc::invalid);
  EXPECT_FALSE(TcpListener::adopt(9999).ok());
}

/// Comes to all doors with anything, `allowed` times; below zero it is told to stop. It does not
/// come as often as it can: that would only fill the kernel's queue.
void annoy(TcpRanks& ranks, std::uint64_t seed, const std::atomic<int>& allowed) {
  Random random(seed);
  std::vector<FileDescriptor> silent;
  for (int came = 0; allowed >= 0; ++came) {
    while (allowed >= 0 && came >= allowed) std::this_thread::yield();
    auto fd = knock(ranks.endpoint(static_cast<int>(random.below(3))));
    const auto hello = hello_of(static_cast<std::int64_t>(random.below(40)),
                                static_cast<std::uint32_t>(random.below(3)),
                                random.chance(0.5) ? "wrong" : "secret of the job");
    std::vector<std::byte> bytes(hello.begin(), hello.end());
    for (std::byte& b : bytes) {
      if (random.chance(0.1)) b = static_cast<std::byte>(random.below(256));
    }
    bytes.resize(random.below(bytes.size() + 1));
    say(fd, bytes);
    if (random.chance(0.5)) silent.push_back(std::move(fd));
    if (silent.size() > 20) silent.clear();
  }
}

TEST(TcpListener, StrangersDoNotDisturbTheRing) {
  TcpRanks ranks(3);
  std::atomic<int> allowed{0};
  std::thread stranger([&] { annoy(ranks, 1, allowed); });
  std::thread another([&] { annoy(ranks, 2, allowed); });
  for (std::int64_t generation = 1; generation <= 30; ++generation) {
    allowed += 200;
    ranks.run(generation, [&](TcpCommunicator& ring) {
      for (int turn = 0; turn < 3; ++turn) {
        std::vector<std::int32_t> data(turn == 1 ? 60000 : 10, 1);
        auto end = ring.all_reduce(data.data(), data.data(), data.size(), RINGMASTER_INT32,
                                   RINGMASTER_SUM);
        ASSERT_TRUE(end.ok()) << end.error().message;
        EXPECT_EQ(data, std::vector<std::int32_t>(data.size(), 3));
      }
    });
  }
  allowed = -1;
  stranger.join();
  another.join();
}

}  // namespace
}  // namespace ringmaster::collectives

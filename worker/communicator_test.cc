// SPDX-License-Identifier: Apache-2.0
//
// The C++ face in a world of one: each call reaches its operation with the right type.
#include "worker/communicator.h"

#include <gtest/gtest.h>

#include "worker/session.h"

namespace ringmaster::worker {
namespace {

static_assert(type_of<float>() == RINGMASTER_FLOAT32);
static_assert(type_of<double>() == RINGMASTER_FLOAT64);
static_assert(type_of<std::int32_t>() == RINGMASTER_INT32);
static_assert(type_of<std::int64_t>() == RINGMASTER_INT64);
static_assert(type_of<std::uint8_t>() == RINGMASTER_UINT8);
static_assert(type_of<Float16>() == RINGMASTER_FLOAT16 && sizeof(Float16) == 2);
static_assert(type_of<BFloat16>() == RINGMASTER_BFLOAT16 && sizeof(BFloat16) == 2);

class CppFace : public testing::Test {
 protected:
  CppFace() {
    auto opened = Session::open();
    CHECK(opened.ok());
    session_.emplace(std::move(*opened));
    CHECK(session_->join().ok());
  }
  Communicator ring() { return session_->communicator(); }
  /// Waits for what was started, and sees that `output` became `input`.
  void expect_copied(Result<Work> work) {
    ASSERT_TRUE(work.ok()) << work.error().message;
    const auto over = work->wait();
    EXPECT_TRUE(over.ok()) << over.error().message;
    EXPECT_TRUE(work->done());
    EXPECT_EQ(output_, input_);
    output_.assign(3, 0);
  }

  std::optional<Session> session_;
  const std::vector<std::size_t> counts_ = {3};
  std::vector<double> input_ = {1, 2, 3}, output_ = {0, 0, 0};
};

TEST_F(CppFace, StartsEveryOperation) {
  Started later = ring().later();
  const double* in = input_.data();
  double* out = output_.data();
  expect_copied(later.all_reduce(in, out, 3));
  expect_copied(later.all_gather(in, out, 3));
  expect_copied(later.all_gather(in, out, counts_));
  expect_copied(later.reduce_scatter(in, out, counts_, RINGMASTER_MAX));
  expect_copied(later.all_to_all(in, counts_, out, counts_));
  ASSERT_TRUE(ring().group_begin());
  ASSERT_TRUE(ring().all_reduce(in, out, 3));
  expect_copied(later.group_end());
  auto sent = later.broadcast(input_.data(), 3, 0);
  ASSERT_TRUE(sent.ok());
  EXPECT_TRUE(sent->wait().ok());
  auto all = later.barrier();
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->wait().ok());
  EXPECT_EQ(later.all_gather(in, out, {1, 2}).error().message,
            "one count is needed for each position");
  EXPECT_EQ(later.send(in, 3, 1).error().message, "send: there is no position 1");
  EXPECT_EQ(later.receive(out, 3, -1).error().message, "receive: there is no position -1");
}

TEST_F(CppFace, SendsToItselfInAGroup) {
  ASSERT_TRUE(ring().group_begin());
  ASSERT_TRUE(ring().send(input_.data(), 3, 0));
  ASSERT_TRUE(ring().receive(output_.data(), 3, 0));
  ASSERT_TRUE(ring().group_end());
  EXPECT_EQ(output_, input_);
}

TEST_F(CppFace, HandsTensorsIn) {
  NamedTensors tensors = ring().tensors();
  ASSERT_TRUE(tensors.configure(64, std::chrono::seconds(1)));
  expect_copied(tensors.start("a", input_.data(), output_.data(), 3));
  ASSERT_TRUE(tensors.hand_in("a", input_.data(), output_.data(), 3));
  ASSERT_TRUE(tensors.wait_all());
  EXPECT_EQ(output_, input_);
  EXPECT_EQ(tensors.warning(), "");
  // The session's own collectives come behind what was handed in.
  ASSERT_TRUE(tensors.hand_in("b", input_.data(), output_.data(), 3));
  EXPECT_TRUE(session_->finish());
  EXPECT_EQ(tensors.configure(1).error().message,
            "tensors_configure: this generation has tensors already: before the first");
}

TEST_F(CppFace, ClosesWithOperationsOnTheirWay) {
  std::vector<Work> works;
  for (int i = 0; i < 100; ++i) {
    auto work = ring().later().all_reduce(input_.data(), output_.data(), 3);
    ASSERT_TRUE(work.ok());
    works.push_back(std::move(*work));
  }
  session_.reset();
  for (const Work& work : works) {
    ASSERT_TRUE(work.done());
    const auto over = work.wait();
    EXPECT_TRUE(over || over.error().code == Errc::generation_changed);
  }
}

}  // namespace
}  // namespace ringmaster::worker

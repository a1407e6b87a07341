// SPDX-License-Identifier: Apache-2.0
//
// Answers that are awaited, each with a limit: what blocks in a thread (a store that hangs) must
// not keep others waiting for ever. One that comes after its limit is dropped.
//
// Thread rules: the loop's thread. The owner's end drops what is awaited.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "net/timer.h"

namespace ringmaster::net {

template <class T>
class Answers {
 public:
  explicit Answers(boost::asio::io_context& loop) : loop_(loop) {}

  /// The number under which the answer is to arrive. `done` is called once: with it, or when
  /// `limit` is over with what `late` makes.
  std::int64_t expect(Duration limit, std::function<void(T)> done, std::function<T()> late) {
    const std::int64_t number = ++last_;
    Awaited& awaited = awaited_[number];
    awaited.done = std::move(done);
    awaited.limit = std::make_unique<Timer>(loop_);
    awaited.limit->start(limit, [this, number, late = std::move(late)] { arrive(number, late()); });
    return number;
  }

  void forget(std::int64_t number) { awaited_.erase(number); }

  /// False: it is not awaited any more.
  bool arrive(std::int64_t number, T value) {
    auto awaited = awaited_.extract(number);
    if (awaited) awaited.mapped().done(std::move(value));
    return !awaited.empty();
  }

 private:
  struct Awaited {
    std::function<void(T)> done;
    std::unique_ptr<Timer> limit;
  };
  boost::asio::io_context& loop_;
  std::int64_t last_ = 0;
  std::map<std::int64_t, Awaited> awaited_;
};

}  // namespace ringmaster::net

// SPDX-License-Identifier: Apache-2.0
//
// One thing that shall happen later, in an Asio loop, unless it is started anew or cancelled, or
// its owner is gone. It keeps Asio's heavy header out of those that own timers.
//
// Thread rules: the loop's thread.
#pragma once

#include <functional>
#include <memory>

#include "base/time.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::net {

class Timer {
 public:
  explicit Timer(boost::asio::io_context& loop);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Calls `then` once, from the loop. A start that was under way is forgotten.
  void start(Duration after, std::function<void()> then);
  void cancel();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ringmaster::net

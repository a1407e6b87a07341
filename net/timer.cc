// SPDX-License-Identifier: Apache-2.0
#include "net/timer.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace ringmaster::net {

struct Timer::State {
  explicit State(boost::asio::io_context& loop) : timer(loop) {}
  boost::asio::steady_timer timer;
  std::int64_t starts = 0;
};

Timer::Timer(boost::asio::io_context& loop) : state_(std::make_shared<State>(loop)) {}

Timer::~Timer() {
  cancel();
}

void Timer::cancel() {
  ++state_->starts;
  state_->timer.cancel();
}

void Timer::start(Duration after, std::function<void()> then) {
  cancel();
  state_->timer.expires_after(std::max(Duration::zero(), after));
  state_->timer.async_wait([weak = std::weak_ptr<State>(state_), starts = state_->starts,
                            then = std::move(then)](const boost::system::error_code& code) {
    // One that had expired already when it was cancelled comes without an error.
    const auto state = weak.lock();
    if (!code && state && state->starts == starts) then();
  });
}

}  // namespace ringmaster::net

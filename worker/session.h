// SPDX-License-Identifier: Apache-2.0
//
// The C++ face of a session: RAII and Result over the C ABI (worker/ringmaster_session.h, which
// says what each call does). A header only, so that a program built with any compiler can use the
// installed library.
//
//     auto session = Session::open();
//     session->add_state(weights.data(), weights.size() * sizeof(float));
//     auto end = session->run(steps, [&](Communicator& ring, std::int64_t step) -> Result<void> {
//       ...compute the gradient of this rank's share...
//       if (auto sum = ring.all_reduce(gradient); !sum) return sum;
//       ...change the weights...
//       return {};
//     });
//
// Thread rules: one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "worker/communicator.h"
#include "worker/ringmaster_session.h"

namespace ringmaster::worker {

class Session {
 public:
  static Result<Session> open() {
    ringmaster_session* raw = nullptr;
    auto opened = to_result(ringmaster_session_open(&raw));
    if (!opened) return opened.error();
    return Session(raw);
  }

  Result<void> add_state(void* data, std::size_t bytes) {
    return to_result(ringmaster_session_add_state(raw_.get(), data, bytes));
  }
  Result<void> use_gpu(int device, void* stream = nullptr) {
    return to_result(ringmaster_session_use_gpu(raw_.get(), device, stream));
  }
  const char* gpu_path() const { return ringmaster_session_gpu_path(raw_.get()); }
  Result<void> join() { return to_result(ringmaster_session_join(raw_.get())); }
  Communicator communicator() { return Communicator(ringmaster_session_communicator(raw_.get())); }
  ringmaster_generation generation() const {
    ringmaster_generation generation{};
    generation.size_of_struct = sizeof generation;
    CHECK(ringmaster_session_generation(raw_.get(), &generation) == RINGMASTER_OK);
    return generation;
  }
  std::int64_t steps() const { return ringmaster_session_steps(raw_.get()); }
  Result<void> step_finished() { return to_result(ringmaster_session_step_finished(raw_.get())); }
  Result<void> finish() { return to_result(ringmaster_session_finish(raw_.get())); }
  /// False when nobody listens: print the message yourself.
  bool fail(const std::string& message) {
    return ringmaster_session_fail(raw_.get(), message.c_str()) != 0;
  }

  /// Runs `step(Communicator&, number) -> Result<void>` until `steps` are finished, through every
  /// change of generation, then finishes. `step` changes the state only after its collectives
  /// succeeded.
  template <class Step>
  Result<void> run(std::int64_t steps_wanted, Step&& step) {
    for (;;) {
      auto result = join();
      Communicator ring = communicator();
      while (result && steps() < steps_wanted) {
        result = step(ring, steps());
        if (result) result = step_finished();
      }
      if (result) result = finish();
      if (result || result.error().code != Errc::generation_changed) return result;
    }
  }

 private:
  struct Close {
    void operator()(ringmaster_session* raw) const { ringmaster_session_close(raw); }
  };
  explicit Session(ringmaster_session* raw) : raw_(raw) {}
  std::unique_ptr<ringmaster_session, Close> raw_;
};

}  // namespace ringmaster::worker

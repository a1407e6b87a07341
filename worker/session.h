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
#include "worker/ringmaster_session.h"

namespace ringmaster::worker {

/// A status of the C ABI with its message, as a Result.
inline Result<void> to_result(ringmaster_status status) {
  if (status == RINGMASTER_OK) return {};
  return Error{static_cast<Errc>(status - 1), ringmaster_error_message()};
}
static_assert(static_cast<int>(Errc::invalid) + 1 == RINGMASTER_INVALID);
static_assert(static_cast<int>(Errc::generation_changed) + 1 == RINGMASTER_GENERATION_CHANGED);
static_assert(static_cast<int>(Errc::closed) + 1 == RINGMASTER_CLOSED);

template <class T>
constexpr ringmaster_type type_of() {
  if constexpr (std::is_same_v<T, float>) return RINGMASTER_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return RINGMASTER_FLOAT64;
  if constexpr (std::is_same_v<T, std::int32_t>) return RINGMASTER_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return RINGMASTER_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return RINGMASTER_UINT8;
}

/// The collectives of one generation. A view: the session owns it, the next join ends it.
class Communicator {
 public:
  explicit Communicator(ringmaster_communicator* raw) : raw_(raw) {}

  int size() const { return ringmaster_size(raw_); }
  int position() const { return ringmaster_position(raw_); }

  /// In place: data[i] = reduction of all ranks' data[i].
  template <class T>
  Result<void> all_reduce(std::vector<T>& data, ringmaster_reduction reduction = RINGMASTER_SUM) {
    return all_reduce(data.data(), data.data(), data.size(), reduction);
  }
  template <class T>
  Result<void> all_reduce(const T* input, T* output, std::size_t count,
                          ringmaster_reduction reduction = RINGMASTER_SUM) {
    return to_result(ringmaster_all_reduce(raw_, input, output, count, type_of<T>(), reduction));
  }
  template <class T>
  Result<void> broadcast(T* data, std::size_t count, int root) {
    return to_result(ringmaster_broadcast(raw_, data, count, type_of<T>(), root));
  }
  /// `output` has size() * count elements.
  template <class T>
  Result<void> all_gather(const T* input, T* output, std::size_t count) {
    return to_result(ringmaster_all_gather(raw_, input, output, count, type_of<T>()));
  }
  Result<void> barrier() { return to_result(ringmaster_barrier(raw_)); }
  Result<void> set_timeout(std::chrono::duration<double> timeout) {
    return to_result(ringmaster_set_timeout(raw_, timeout.count()));
  }

 private:
  ringmaster_communicator* raw_;
};

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

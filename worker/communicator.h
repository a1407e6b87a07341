// SPDX-License-Identifier: Apache-2.0
//
// The collectives in C++: thin covers of the C ABI (collectives/ringmaster_collectives.h, which
// documents each call) with types instead of enums and a Result instead of a status.
//
// Thread rules: one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "collectives/ringmaster_memory.h"
#include "worker/elements.h"
#include "worker/started.h"
#include "worker/tensors.h"

namespace ringmaster::worker {

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
  /// Of parts of `counts` elements by position: `output` has all of them.
  template <class T>
  Result<void> all_gather(const T* input, T* output, const std::vector<std::size_t>& counts) {
    if (auto fit = check(counts); !fit) return fit;
    return to_result(
        ringmaster_all_gather_counts(raw_, input, output, counts.data(), type_of<T>()));
  }
  /// `input` has all elements of `counts`, `output` those of this position.
  template <class T>
  Result<void> reduce_scatter(const T* input, T* output, const std::vector<std::size_t>& counts,
                              ringmaster_reduction reduction = RINGMASTER_SUM) {
    if (auto fit = check(counts); !fit) return fit;
    return to_result(
        ringmaster_reduce_scatter(raw_, input, output, counts.data(), type_of<T>(), reduction));
  }
  template <class T>
  Result<void> all_to_all(const T* input, const std::vector<std::size_t>& give, T* output,
                          const std::vector<std::size_t>& take) {
    if (auto fit = check(give); !fit) return fit;
    if (auto fit = check(take); !fit) return fit;
    return to_result(
        ringmaster_all_to_all(raw_, input, give.data(), output, take.data(), type_of<T>()));
  }
  /// Memory that all ranks of the host see.
  template <class T>
  Result<T*> allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(T)) return Error{Errc::exhausted, "allocate: too many elements"};
    void* memory = nullptr;
    auto allocated = to_result(ringmaster_allocate(raw_, count * sizeof(T), &memory));
    if (!allocated) return allocated.error();
    return static_cast<T*>(memory);
  }
  Result<void> free(void* memory) { return to_result(ringmaster_free(raw_, memory)); }
  Result<void> register_memory(void* data, std::size_t bytes) {
    return to_result(ringmaster_register(raw_, data, bytes));
  }
  Result<void> release(void* data) { return to_result(ringmaster_release(raw_, data)); }
  Result<void> barrier() { return to_result(ringmaster_barrier(raw_)); }
  /// To the receive of the rank at position `to`; the two ranks alone take part.
  template <class T>
  Result<void> send(const T* data, std::size_t count, int to) {
    return to_result(ringmaster_send(raw_, data, count, type_of<T>(), to));
  }
  template <class T>
  Result<void> receive(T* data, std::size_t count, int from) {
    return to_result(ringmaster_receive(raw_, data, count, type_of<T>(), from));
  }
  /// all_reduce, send and receive from here to group_end() are carried out together, by the latter.
  Result<void> group_begin() { return to_result(ringmaster_group_begin(raw_)); }
  Result<void> group_end() { return to_result(ringmaster_group_end(raw_)); }
  /// The same operations, started now and waited for later.
  Started later() { return Started(raw_); }
  /// All-reduces by name, agreed on and fused while the program goes on.
  NamedTensors tensors() { return NamedTensors(raw_); }
  Result<void> set_timeout(std::chrono::duration<double> timeout) {
    return to_result(ringmaster_set_timeout(raw_, timeout.count()));
  }

 private:
  Result<void> check(const std::vector<std::size_t>& counts) const {
    if (counts.size() == static_cast<std::size_t>(size())) return {};
    return Error{Errc::invalid, "one count is needed for each position"};
  }

  ringmaster_communicator* raw_;
};

}  // namespace ringmaster::worker

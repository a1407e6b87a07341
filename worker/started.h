// SPDX-License-Identifier: Apache-2.0
//
// Operations that are started now and waited for later, and groups, in C++
// (collectives/ringmaster_async.h says what each call does). A view of a communicator:
//
//     Started later = ring.later();
//     auto work = later.all_reduce(gradient.data(), gradient.data(), gradient.size());
//     ...
//     if (auto over = work->wait(); !over) return over;
//
// Thread rules: those of the communicator.
#pragma once

#include <vector>

#include "worker/work.h"

namespace ringmaster::worker {

class Started {
 public:
  explicit Started(ringmaster_communicator* raw) : raw_(raw) {}

  template <class T>
  Result<Work> all_reduce(const T* input, T* output, std::size_t count,
                          ringmaster_reduction reduction = RINGMASTER_SUM) {
    ringmaster_work* work = nullptr;
    const auto status =
        ringmaster_all_reduce_start(raw_, input, output, count, type_of<T>(), reduction, &work);
    return to_work(status, work);
  }
  template <class T>
  Result<Work> broadcast(T* data, std::size_t count, int root) {
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_broadcast_start(raw_, data, count, type_of<T>(), root, &work);
    return to_work(status, work);
  }
  template <class T>
  Result<Work> all_gather(const T* input, T* output, std::size_t count) {
    ringmaster_work* work = nullptr;
    const auto status =
        ringmaster_all_gather_start(raw_, input, output, count, type_of<T>(), &work);
    return to_work(status, work);
  }
  /// `counts` has an entry for each position, here and below.
  template <class T>
  Result<Work> all_gather(const T* input, T* output, const std::vector<std::size_t>& counts) {
    if (auto fit = check(counts); !fit) return fit.error();
    ringmaster_work* work = nullptr;
    const auto status =
        ringmaster_all_gather_counts_start(raw_, input, output, counts.data(), type_of<T>(), &work);
    return to_work(status, work);
  }
  template <class T>
  Result<Work> reduce_scatter(const T* input, T* output, const std::vector<std::size_t>& counts,
                              ringmaster_reduction reduction = RINGMASTER_SUM) {
    if (auto fit = check(counts); !fit) return fit.error();
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_reduce_scatter_start(raw_, input, output, counts.data(),
                                                        type_of<T>(), reduction, &work);
    return to_work(status, work);
  }
  template <class T>
  Result<Work> all_to_all(const T* input, const std::vector<std::size_t>& give, T* output,
                          const std::vector<std::size_t>& take) {
    if (auto fit = check(give); !fit) return fit.error();
    if (auto fit = check(take); !fit) return fit.error();
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_all_to_all_start(raw_, input, give.data(), output, take.data(),
                                                    type_of<T>(), &work);
    return to_work(status, work);
  }
  Result<Work> barrier() {
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_barrier_start(raw_, &work);
    return to_work(status, work);
  }
  template <class T>
  Result<Work> send(const T* data, std::size_t count, int to) {
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_send_start(raw_, data, count, type_of<T>(), to, &work);
    return to_work(status, work);
  }
  template <class T>
  Result<Work> receive(T* data, std::size_t count, int from) {
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_receive_start(raw_, data, count, type_of<T>(), from, &work);
    return to_work(status, work);
  }
  /// Of a group that Communicator::group_begin() opened.
  Result<Work> group_end() {
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_group_end_start(raw_, &work);
    return to_work(status, work);
  }

 private:
  Result<void> check(const std::vector<std::size_t>& counts) const {
    if (counts.size() == static_cast<std::size_t>(ringmaster_size(raw_))) return {};
    return Error{Errc::invalid, "one count is needed for each position"};
  }

  ringmaster_communicator* raw_;
};

}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
//
// Named tensors and the timeline in C++ (collectives/ringmaster_tensors.h says what each call
// does). A view of a communicator:
//
//     NamedTensors gradients = ring.tensors();
//     ...during the backward pass: gradients.hand_in("layer 3", data, data, count);
//     if (auto summed = gradients.wait_all(); !summed) return summed;
//
// Thread rules: those of the communicator.
#pragma once

#include <string>

#include "collectives/ringmaster_tensors.h"
#include "worker/work.h"

namespace ringmaster::worker {

class NamedTensors {
 public:
  explicit NamedTensors(ringmaster_communicator* raw) : raw_(raw) {}

  /// Before the first tensor of a generation. 0 bytes, 0 seconds: the defaults.
  Result<void> configure(std::size_t bucket_bytes, std::chrono::duration<double> warn_after = {}) {
    const ringmaster_tensor_settings settings = {sizeof settings, bucket_bytes, warn_after.count()};
    return to_result(ringmaster_tensors_configure(raw_, &settings));
  }
  /// To be waited for with all the others.
  template <class T>
  Result<void> hand_in(const std::string& name, const T* input, T* output, std::size_t count,
                       ringmaster_reduction reduction = RINGMASTER_SUM) {
    return to_result(ringmaster_tensor_all_reduce(raw_, name.c_str(), input, output, count,
                                                  type_of<T>(), reduction, nullptr));
  }
  /// To be waited for alone.
  template <class T>
  Result<Work> start(const std::string& name, const T* input, T* output, std::size_t count,
                     ringmaster_reduction reduction = RINGMASTER_SUM) {
    ringmaster_work* work = nullptr;
    const auto status = ringmaster_tensor_all_reduce(raw_, name.c_str(), input, output, count,
                                                     type_of<T>(), reduction, &work);
    return to_work(status, work);
  }
  Result<void> wait_all(std::chrono::duration<double> limit = std::chrono::hours(1)) {
    return to_result(ringmaster_tensors_wait_all(raw_, limit.count()));
  }
  /// Who keeps what back; "" for nothing.
  std::string warning() { return ringmaster_tensors_warning(raw_); }

  Result<void> begin_timeline(const std::string& path, bool append) {
    return to_result(ringmaster_timeline_begin(raw_, path.c_str(), append ? 1 : 0));
  }
  Result<void> end_timeline() { return to_result(ringmaster_timeline_end(raw_)); }

 private:
  ringmaster_communicator* raw_;
};

}  // namespace ringmaster::worker

// SPDX-License-Identifier: Apache-2.0
//
// The loop over the elements, for one type, reduction and number of inputs. Part of body.h.
#pragma once

#include "collectives/kernels/kernel.h"
#include "collectives/kernels/lanes.h"

namespace ringmaster::collectives::RINGMASTER_ISA {
namespace {

template <class Lanes, ringmaster_reduction kReduction>
RINGMASTER_INLINE typename Lanes::Value combine(typename Lanes::Value a, typename Lanes::Value b) {
  switch (kReduction) {
    case RINGMASTER_SUM:
    case RINGMASTER_AVERAGE:
      return a + b;
    case RINGMASTER_PRODUCT:
      return a * b;
    case RINGMASTER_MIN:
      return Lanes::less(b, a, b, a);
    case RINGMASTER_MAX:
      return Lanes::less(a, b, b, a);
  }
}

/// kInputs 0 stands for any number. An average is a sum with a factor; a sum's factor is 1, which
/// changes no bits and costs nothing beside the memory.
template <class Lanes, ringmaster_reduction kReduction, int kInputs>
struct Kernel {
  using Stored = typename Lanes::Stored;
  using Value = typename Lanes::Value;
  const Stretches& all;
  typename Lanes::Factor factor;

  [[gnu::always_inline]] inline const Stored* input(int i) const {
    return static_cast<const Stored*>(all.inputs[i]);
  }
  [[gnu::always_inline]] inline Stored* output(int i) const {
    return static_cast<Stored*>(all.outputs[i]);
  }

  [[gnu::always_inline]] inline Value reduced(size_t at) const {
    const int inputs = kInputs > 0 ? kInputs : all.input_count;
    Value value = Lanes::load(input(0) + at);
    for (int i = 1; i < inputs; ++i) {
      value = combine<Lanes, kReduction>(value, Lanes::load(input(i) + at));
    }
    if constexpr (kReduction == RINGMASTER_SUM) value = Lanes::scale(value, factor);
    return value;
  }

  /// Fewer elements than a vector has: the same arithmetic on a padded copy.
  [[gnu::noinline]] void part(size_t at, size_t count) const {
    constexpr size_t kBytes = Lanes::kLanes * sizeof(Stored);
    Stored padded[Lanes::kLanes];
    const int inputs = kInputs > 0 ? kInputs : all.input_count;
    Value value = {};
    for (int i = 0; i < inputs; ++i) {
      __builtin_memset(padded, 0, kBytes);
      __builtin_memcpy(padded, input(i) + at, count * sizeof(Stored));
      const Value next = Lanes::load(padded);
      value = i == 0 ? next : combine<Lanes, kReduction>(value, next);
    }
    if constexpr (kReduction == RINGMASTER_SUM) value = Lanes::scale(value, factor);
    Lanes::store(padded, value);
    for (int i = 0; i < all.output_count; ++i) {
      __builtin_memcpy(output(i) + at, padded, count * sizeof(Stored));
    }
  }

  void run() const {
    size_t at = 0;
    // Two outputs are the common case: one's own, and the one that others read.
    if (all.output_count == 1) {
      for (; at + Lanes::kLanes <= all.count; at += Lanes::kLanes) {
        Lanes::store(output(0) + at, reduced(at));
      }
    } else {
      for (; at + Lanes::kLanes <= all.count; at += Lanes::kLanes) {
        const Value value = reduced(at);
        for (int i = 0; i < all.output_count; ++i) Lanes::store(output(i) + at, value);
      }
    }
    if (at < all.count) part(at, all.count - at);
  }
};

}  // namespace
}  // namespace ringmaster::collectives::RINGMASTER_ISA

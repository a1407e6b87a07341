// SPDX-License-Identifier: Apache-2.0
//
// The kernels themselves. Each instruction set compiles this file once, with its own flags, into a
// namespace of its own (RINGMASTER_ISA): the compiler's vector types become whatever registers the
// flags allow.
//
// No header with inline functions is included, the standard library's above all: the linker would
// keep one copy of such a function, and it might be the one with instructions that this processor
// does not have.
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

  /// Elements before all outputs are at the beginning of a cache line; SIZE_MAX: never.
  size_t before_lines() const {
    const auto place = [&](int i) { return reinterpret_cast<uintptr_t>(output(i)) % kVectorBytes; };
    for (int i = 0; i < all.output_count; ++i) {
      if (place(i) != place(0)) return SIZE_MAX;
    }
    const size_t bytes = (kVectorBytes - place(0)) % kVectorBytes;
    return bytes % sizeof(Stored) == 0 ? bytes / sizeof(Stored) : SIZE_MAX;
  }

  void run_streaming(size_t head) const {
    part(0, head);
    size_t at = head;
    for (; at + Lanes::kLanes <= all.count; at += Lanes::kLanes) {
      const Value value = reduced(at);
      for (int i = 0; i < all.output_count; ++i) Lanes::stream(output(i) + at, value);
    }
    finish_streaming();
    part(at, all.count - at);
  }

  void run() const {
    if (all.stream && sizeof(Stored) == sizeof(Value) / Lanes::kLanes) {
      const size_t head = before_lines();
      if (head <= all.count) return run_streaming(head);
    }
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

/// Few inputs, the case of one host, have kernels of their own where training spends its time: a
/// sum of floats.
template <class Lanes, ringmaster_reduction kReduction>
void reduce_inputs(const Stretches& stretches, typename Lanes::Factor factor) {
  if constexpr (kReduction == RINGMASTER_SUM && !Lanes::kWhole) {
    switch (stretches.input_count) {
      case 2:
        return Kernel<Lanes, kReduction, 2>{stretches, factor}.run();
      case 4:
        return Kernel<Lanes, kReduction, 4>{stretches, factor}.run();
      default:
        break;
    }
  }
  Kernel<Lanes, kReduction, 0>{stretches, factor}.run();
}

template <class Lanes>
void reduce_lanes(const Stretches& stretches, ringmaster_reduction reduction) {
  using Factor = typename Lanes::Factor;
  switch (reduction) {
    case RINGMASTER_SUM:
      return reduce_inputs<Lanes, RINGMASTER_SUM>(stretches, Factor{1});
    case RINGMASTER_AVERAGE:
      return reduce_inputs<Lanes, RINGMASTER_SUM>(
          stretches, static_cast<Factor>(Factor{1} / static_cast<Factor>(stretches.average_of)));
    case RINGMASTER_MIN:
      return reduce_inputs<Lanes, RINGMASTER_MIN>(stretches, Factor{1});
    case RINGMASTER_MAX:
      return reduce_inputs<Lanes, RINGMASTER_MAX>(stretches, Factor{1});
    case RINGMASTER_PRODUCT:
      return reduce_inputs<Lanes, RINGMASTER_PRODUCT>(stretches, Factor{1});
  }
}

}  // namespace

void reduce_stretches(const Stretches& stretches, ringmaster_type type,
                      ringmaster_reduction reduction) {
  switch (type) {
    case RINGMASTER_FLOAT32:
      return reduce_lanes<Float32>(stretches, reduction);
    case RINGMASTER_FLOAT64:
      return reduce_lanes<Float64>(stretches, reduction);
    case RINGMASTER_INT32:
      return reduce_lanes<Int32>(stretches, reduction);
    case RINGMASTER_INT64:
      return reduce_lanes<Int64>(stretches, reduction);
    case RINGMASTER_UINT8:
      return reduce_lanes<Uint8>(stretches, reduction);
    case RINGMASTER_FLOAT16:
      return reduce_lanes<Float16>(stretches, reduction);
    case RINGMASTER_BFLOAT16:
      return reduce_lanes<Bfloat16>(stretches, reduction);
  }
}

}  // namespace ringmaster::collectives::RINGMASTER_ISA

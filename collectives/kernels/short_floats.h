// SPDX-License-Identifier: Apache-2.0
//
// Floats of sixteen bits, as lanes: 32 bits while they are summed. Part of body.h.
#pragma once

#include "collectives/kernels/lanes.h"

namespace ringmaster::collectives::RINGMASTER_ISA {
namespace {

typedef uint16_t Halves __attribute__((vector_size(kVectorBytes / 2)));
using Words = Vector<uint32_t>;
using Floats = Vector<float>;

/// Sixteen bits in memory, 32 while they are summed.
template <class Format>
struct Short : Float32 {
  using Stored = uint16_t;
  RINGMASTER_INLINE Floats load(const uint16_t* from) {
    Halves halves;
    __builtin_memcpy(&halves, from, sizeof(halves));
    return Format::widen(halves);
  }
  RINGMASTER_INLINE void store(uint16_t* to, Floats value) {
    const Halves halves = Format::narrow(value);
    __builtin_memcpy(to, &halves, sizeof(halves));
  }
};

/// The upper half of a float32.
struct BrainFormat {
  RINGMASTER_INLINE Floats widen(Halves halves) {
    return (Floats)(__builtin_convertvector(halves, Words) << 16);
  }
  /// To the nearest, ties to even; a NaN stays one.
  RINGMASTER_INLINE Halves narrow(Floats value) {
    const Words bits = (Words)value;
    const Words rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const Words quiet = (bits >> 16) | 0x40;
    return __builtin_convertvector(value != value ? quiet : rounded, Halves);
  }
};

/// IEEE 754 binary16. Without instructions for it, what they do is done by hand, to the same bits.
struct HalfFormat {
  RINGMASTER_INLINE Floats widen(Halves halves) {
    Floats value;
#if defined(__AVX512F__)
    value = (Floats)_mm512_cvtph_ps((__m256i)halves);
#elif defined(__F16C__)
    __m128i parts[2];
    __builtin_memcpy(parts, &halves, sizeof(parts));
    const __m256 low = _mm256_cvtph_ps(parts[0]), high = _mm256_cvtph_ps(parts[1]);
    __builtin_memcpy(&value, &low, sizeof(low));
    __builtin_memcpy(reinterpret_cast<char*>(&value) + sizeof(low), &high, sizeof(high));
#else
    const Words bits = __builtin_convertvector(halves, Words);
    const Words sign = (bits & 0x8000) << 16;
    const Words magnitude = (bits & 0x7fff) << 13;
    // Scaling by 2^112 moves the exponent's bias, denormals too.
    const Floats finite = (Floats)magnitude * 0x1p112f;
    const Words special = magnitude | 0x7f800000 | ((magnitude & 0x7fffff) != 0 ? quiet() : none());
    value = (Floats)(sign | (magnitude >= 0x0f800000 ? special : (Words)finite));
#endif
    return value;
  }

  RINGMASTER_INLINE Halves narrow(Floats value) {
#if defined(__AVX512F__)
    return (Halves)_mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__F16C__)
    __m256 parts[2];
    __builtin_memcpy(parts, &value, sizeof(parts));
    const __m128i low = _mm256_cvtps_ph(parts[0], _MM_FROUND_TO_NEAREST_INT);
    const __m128i high = _mm256_cvtps_ph(parts[1], _MM_FROUND_TO_NEAREST_INT);
    Halves halves;
    __builtin_memcpy(&halves, &low, sizeof(low));
    __builtin_memcpy(reinterpret_cast<char*>(&halves) + sizeof(low), &high, sizeof(high));
    return halves;
#else
    const Words bits = (Words)value;
    const Words sign = (bits >> 16) & 0x8000;
    const Words magnitude = bits & 0x7fffffff;
    // Normal numbers: round at bit 13, then move the exponent's bias by 112.
    const Words normal = (magnitude + 0xfff + ((magnitude >> 13) & 1) - (112u << 23)) >> 13;
    // Denormals: adding 0.5 leaves the rounded 2^-24 multiples in the low bits.
    const Words small = (Words)((Floats)magnitude + 0.5f) - 0x3f000000;
    const Words finite = magnitude < 0x38800000 ? small : normal;
    const Words limited = finite > 0x7c00 ? infinite() : finite;
    const Words nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
    const Words result = magnitude > 0x7f800000    ? nan
                         : magnitude == 0x7f800000 ? infinite()
                                                   : limited;
    return __builtin_convertvector(sign | result, Halves);
#endif
  }

 private:
  RINGMASTER_INLINE Words none() {
    return Words{};
  }
  RINGMASTER_INLINE Words quiet() {
    return Words{} + 0x400000;
  }
  RINGMASTER_INLINE Words infinite() {
    return Words{} + 0x7c00;
  }
};

using Float16 = Short<HalfFormat>;
using Bfloat16 = Short<BrainFormat>;

}  // namespace
}  // namespace ringmaster::collectives::RINGMASTER_ISA

// SPDX-License-Identifier: Apache-2.0
#include "collectives/kernels/kernel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/check.h"

namespace ringmaster::collectives {

namespace {

using KernelFunction = void (*)(const Stretches&, ringmaster_type, ringmaster_reduction);

}  // namespace

#define RINGMASTER_DECLARE(isa)                                                                  \
  namespace isa {                                                                                \
  void reduce_stretches(const Stretches&, ringmaster_type type, ringmaster_reduction reduction); \
  }
RINGMASTER_DECLARE(baseline)
#if defined(__x86_64__)
RINGMASTER_DECLARE(avx2)
RINGMASTER_DECLARE(avx512)
#endif

namespace {

KernelFunction kernel_of(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return baseline::reduce_stretches;
#if defined(__x86_64__)
    case Isa::avx2:
      return avx2::reduce_stretches;
    case Isa::avx512:
      return avx512::reduce_stretches;
#else
    case Isa::avx2:
    case Isa::avx512:
      break;
#endif
  }
  CHECK(false);
}

#if defined(__x86_64__)
/// Asked of the processor itself: clang 14's __builtin_cpu_supports does not know the name. That
/// the system saves its registers is what "avx2" says.
bool has_f16c() {
  constexpr unsigned kFeatures = 1;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kFeatures, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

}  // namespace

bool has_isa(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return true;
#if defined(__x86_64__)
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") != 0 && has_f16c();
    case Isa::avx512:
      return has_isa(Isa::avx2) && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0;
#else
    case Isa::avx2:
    case Isa::avx512:
      return false;
#endif
  }
  CHECK(false);
}

Isa best_isa() {
  static const Isa best = has_isa(Isa::avx512) ? Isa::avx512
                          : has_isa(Isa::avx2) ? Isa::avx2
                                               : Isa::baseline;
  return best;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return "baseline";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  CHECK(false);
}

void reduce_stretches(const Stretches& stretches, ringmaster_type type,
                      ringmaster_reduction reduction, Isa isa) {
  CHECK(stretches.input_count >= 1);
  CHECK(stretches.output_count >= 1);
  kernel_of(isa)(stretches, type, reduction);
}

}  // namespace ringmaster::collectives

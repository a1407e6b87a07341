// SPDX-License-Identifier: Apache-2.0
#include "collectives/bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace ringmaster::collectives {

void stream_bytes(void* to, const void* from, std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t kLine = 64;
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  const std::size_t head = std::min(bytes, (kLine - address % kLine) % kLine);
  copy_bytes(to, from, head);
  std::size_t done = head;
  for (; done + kLine <= bytes; done += kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(at(from, done));
    auto* target = reinterpret_cast<__m128i*>(at(to, done));
    for (int part = 0; part < 4; ++part) {
      _mm_stream_si128(target + part, _mm_loadu_si128(source + part));
    }
  }
  copy_bytes(at(to, done), at(from, done), bytes - done);
  _mm_sfence();  // they are seen before any flag that is stored after them
#else
  copy_bytes(to, from, bytes);
#endif
}

std::size_t largest_cache() {
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE), level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  constexpr long kUsual = 32 * 1024 * 1024;  // where the machine does not say
  return static_cast<std::size_t>(level3 > 0 ? level3 : level2 > 0 ? level2 : kUsual);
}

}  // namespace ringmaster::collectives

// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/check.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ringmaster::storage {

namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected: the lowest bit is the first

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[k][b]: what byte b does to the CRC when k bytes follow it.
constexpr Tables make_tables() {
  Tables tables = {};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t load_word(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t crc) {
  std::uint32_t state = ~crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint64_t word = load_word(bytes.data()) ^ state;
    state = 0;
    for (std::size_t i = 0; i < 8; ++i) state ^= kTables[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (const char c : bytes) {
    state = (state >> 8) ^ kTables[0][(state ^ static_cast<unsigned char>(c)) & 0xff];
  }
  return ~state;
}

#if defined(__x86_64__)

bool has_crc32c_instruction() {
  return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::string_view bytes,
                                                                      std::uint32_t crc) {
  std::uint64_t state = ~crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    state = _mm_crc32_u64(state, load_word(bytes.data()));
  }
  auto low = static_cast<std::uint32_t>(state);
  for (const char c : bytes) low = _mm_crc32_u8(low, static_cast<unsigned char>(c));
  return ~low;
}

#else

bool has_crc32c_instruction() {
  return false;
}

std::uint32_t crc32c_by_instruction(std::string_view, std::uint32_t) {
  CHECK(has_crc32c_instruction());
  return 0;
}

#endif

std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc) {
  static const bool kInstruction = has_crc32c_instruction();
  return kInstruction ? crc32c_by_instruction(bytes, crc) : crc32c_by_tables(bytes, crc);
}

}  // namespace ringmaster::storage

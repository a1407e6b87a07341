// SPDX-License-Identifier: Apache-2.0
//
// CRC32C (Castagnoli, polynomial 0x1EDC6F41), the checksum of shards, manifests and of most stores.
//
// The processor's own instruction where it has one (SSE4.2, found at run time), else eight tables
// at once (Kounavis and Berry, "Novel table lookup-based algorithms for high-performance CRC
// generation", 2008). Debian has no library for it.
//
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringmaster::storage {

/// The CRC of what `crc` is the CRC of, followed by `bytes`. The CRC of nothing is 0.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc = 0);

/// The two ways to the same number; the first only where `has_crc32c_instruction()`.
bool has_crc32c_instruction();
std::uint32_t crc32c_by_instruction(std::string_view bytes, std::uint32_t crc);
std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t crc);

}  // namespace ringmaster::storage

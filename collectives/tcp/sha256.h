// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), for the proofs with which connections open.
//
// Our own, because this library is loaded into the user's process and a crypto library would bring
// a version that collides with the user's. It hashes a hundred bytes for each connection, so it is
// written to be read, not to be fast.
//
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace ringmaster::collectives {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::span<const std::byte> data);
Digest hmac_sha256(std::string_view key, std::span<const std::byte> data);

/// Whether two digests are equal, in a time that does not tell where they differ.
bool equal(std::span<const std::byte, 32> a, std::span<const std::byte, 32> b);

}  // namespace ringmaster::collectives

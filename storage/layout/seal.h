// SPDX-License-Identifier: Apache-2.0
//
// The seal of small JSON documents: their last member is the CRC32C of all bytes before it, so that
// a wrong bit in a number is found, which no JSON parser would.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ringmaster::storage {

/// `members` is the inside of an object, with a comma at its end: {MEMBERS"crc32c":"89abcdef"} and
/// a newline.
std::string seal(const std::string& members);

/// Whether the seal is there and right.
Result<void> check_seal(std::string_view text);

}  // namespace ringmaster::storage

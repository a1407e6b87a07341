// SPDX-License-Identifier: Apache-2.0
//
// Reads a file that may be gzip-compressed into memory, up to a limit.
//
// The limit is what makes it safe on any file: a few kilobytes of gzip can unfold to gigabytes.
// Compression is told from the content, not the name, as users rename files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::training {

/// At most the first `most` (unpacked) bytes of the file. A file that is damaged within them is
/// Errc::corrupt.
Result<std::vector<std::uint8_t>> read_packed_file(const std::string& path, std::size_t most);

}  // namespace ringmaster::training

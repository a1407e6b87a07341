// SPDX-License-Identifier: Apache-2.0
//
// The file that a job's ranks on one host write to, and how its oldest part is given back to the
// file system: as a hole, so that writer and readers keep their offsets.
//
// Thread rules: blocking file calls.
#pragma once

#include <cstdint>
#include <string>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace ringmaster::launcher {

/// "[rank] " lines of all ranks go to FOLDER/HOST.log.
std::string log_path(const std::string& folder, const std::string& host);
/// Opened for appending; folder and file are made when they are not there.
Result<FileDescriptor> open_log_file(const std::string& folder, const std::string& host);

/// A file without a name, gone with its last descriptor. `folder` "": that of temporary files.
Result<FileDescriptor> make_unnamed(const std::string& folder);
/// Where a file without a name is found, by its own process.
std::string path_of(const FileDescriptor& file);

std::int64_t size_of(const std::string& path);
/// Less than `size` bytes where it has no more, or cannot be read.
std::string read_piece(const std::string& path, std::int64_t offset, std::int64_t size);

/// Whole blocks before the offset become a hole.
Result<void> drop_before(const std::string& path, std::int64_t offset);
/// A file that holds more than `most` loses its oldest bytes, so that `least` are left: the offset
/// of the first whole line behind the hole, 0 when nothing was done.
Result<std::int64_t> trim_file(const std::string& path, std::int64_t most, std::int64_t least);

}  // namespace ringmaster::launcher

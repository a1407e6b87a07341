// SPDX-License-Identifier: Apache-2.0
//
// A file on its way to its name: written, flushed, then linked or renamed; removed again by its
// owner's destructor when it never got there, and swept by the next one when its writer died.
#pragma once

#include <filesystem>

#include "base/file_descriptor.h"
#include "storage/object_store.h"

namespace ringmaster::storage {

class TemporaryFile {
 public:
  /// A new empty file in `folder`, locked by us. Makes the folder when it is missing.
  static Result<TemporaryFile> make(const std::filesystem::path& folder);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  /// Writes the bytes and flushes them to the disk.
  Result<void> write(const Pieces& pieces);

  /// Gives it its name. False: the folder of the name is not there. Errc::exists: the name is
  /// taken.
  Result<bool> link_to(const std::filesystem::path& path);
  Result<bool> rename_to(const std::filesystem::path& path);

 private:
  TemporaryFile(std::filesystem::path path, FileDescriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}

  std::filesystem::path path_;
  FileDescriptor fd_;
};

/// Removes the temporary files whose writers are dead. Does what it may: another user's stay.
void sweep_temporary_files(const std::filesystem::path& folder);

/// Flushes a folder: a new name in it survives a power cut only then.
Result<void> flush_folder(const std::filesystem::path& folder);

/// As errno_error, and a quota or a limit on sizes counts as a full disk.
Error disk_error(int error_number, std::string message);

}  // namespace ringmaster::storage

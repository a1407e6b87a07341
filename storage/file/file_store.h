// SPDX-License-Identifier: Apache-2.0
//
// A store in a folder: an object is a file, its key the path.
//
// A write goes to a temporary file, is flushed, and then gets its name in one step: by link() when
// it must be new (the kernel refuses a name that is taken, on network file systems too), by
// rename() when it replaces. Opening the final name with O_EXCL would be shorter, but a reader
// would see a half-written object, and a crash would leave one.
//
// Temporary files lie in one folder and are locked while they are written. The lock ends with the
// process: a file without one was left by a dead writer, and is swept when the store is opened.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_descriptor.h"
#include "storage/object_store.h"

namespace ringmaster::storage {

/// Where temporary files lie. No key begins with a dot.
inline constexpr const char* kWritingFolder = ".writing";

class FileStore : public ObjectStore {
 public:
  /// The folder must be there: a disk that is not mounted must not look like an empty store.
  static Result<FileStore> open(const std::filesystem::path& root);

  Result<void> put(const std::string& key, const Pieces& pieces) override;
  Result<void> create(const std::string& key, const Pieces& pieces) override;
  Result<std::string> read(const std::string& key, std::uint64_t offset,
                           std::uint64_t bytes) override;
  Result<std::vector<ObjectInfo>> list(const std::string& prefix) override;
  Result<void> remove(const std::string& key) override;

 private:
  explicit FileStore(std::filesystem::path root) : root_(std::move(root)) {}
  enum class Naming { fresh, replace };
  Result<void> write(const std::string& key, const Pieces& pieces, Naming naming);

  std::filesystem::path root_;
};

}  // namespace ringmaster::storage

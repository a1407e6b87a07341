// SPDX-License-Identifier: Apache-2.0
#include "storage/file/file_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "storage/file/temporary_file.h"

namespace ringmaster::storage {

namespace fs = std::filesystem;

namespace {

constexpr int kFolderTriesMax = 16;  // each lost one means that a folder was just tidied away
constexpr std::size_t kReadMax = 64 << 20;  // a single read() of Linux ends below 2 GiB
constexpr int kDepthMax = 64;               // folders below each other in a listing

/// Makes the folders of a key, and flushes each one that got a new name.
Result<void> make_folders(const fs::path& root, const std::string& key) {
  for (std::size_t slash = key.find('/'); slash != std::string::npos;
       slash = key.find('/', slash + 1)) {
    const fs::path folder = root / key.substr(0, slash);
    if (::mkdir(folder.c_str(), 0755) == 0) {
      if (auto flushed = flush_folder(folder.parent_path()); !flushed) return flushed;
    } else if (errno != EEXIST) {
      // ENOENT: one above it was tidied away meanwhile; the caller tries again.
      if (errno == ENOENT) return {};
      return disk_error(errno, fmt::format("make the folder {}", folder.string()));
    }
  }
  return {};
}

/// Walks one folder of a listing; `name` is its key with a slash at the end, or empty.
class Listing {
 public:
  Listing(const fs::path& root, const std::string& prefix) : root_(root), prefix_(prefix) {}

  Result<void> walk(const std::string& name, int depth) {
    if (depth > kDepthMax) return Error{Errc::exhausted, fmt::format("list {}: too deep", name)};
    std::error_code code;
    for (fs::directory_iterator at(root_ / name, code), end; !code && at != end;
         at.increment(code)) {
      const std::string key = name + at->path().filename().string();
      if (!is_key(key)) continue;
      std::error_code gone;  // what goes away while it is listed is not there
      if (at->is_directory(gone)) {
        const std::string below = key + "/";
        // Only folders on the way to the prefix, or below it.
        if (!below.starts_with(prefix_) && !prefix_.starts_with(below)) continue;
        if (auto walked = walk(below, depth + 1); !walked) return walked;
      } else if (key.starts_with(prefix_)) {
        const std::uint64_t bytes = at->file_size(gone);
        if (!gone) found.push_back({key, bytes});
        if (found.size() > kListMax) {
          return Error{Errc::exhausted,
                       fmt::format("list {}: more than {} objects", prefix_, kListMax)};
        }
      }
    }
    if (!code || code == std::errc::no_such_file_or_directory) return {};
    return disk_error(code.value(), fmt::format("list {}", (root_ / name).string()));
  }

  std::vector<ObjectInfo> found = {};

 private:
  const fs::path& root_;
  const std::string& prefix_;
};

}  // namespace

Result<FileStore> FileStore::open(const fs::path& root) {
  std::error_code code;
  const bool folder = fs::is_directory(root, code);
  if (code) return disk_error(code.value(), fmt::format("open the store {}", root.string()));
  if (!folder) {
    return Error{Errc::invalid, fmt::format("open the store {}: it is no folder", root.string())};
  }
  sweep_temporary_files(root / kWritingFolder);
  return FileStore(root);
}

Result<void> FileStore::write(const std::string& key, const Pieces& pieces, Naming naming) {
  if (auto good = check_write(key, pieces); !good) return good;
  // Never make the root itself: it may be a mount point that is gone.
  auto file = TemporaryFile::make(root_ / kWritingFolder);
  if (!file) return file.error();
  if (auto written = file->write(pieces); !written) return written;
  const fs::path path = root_ / key;
  for (int i = 0; i < kFolderTriesMax; ++i) {
    if (auto made = make_folders(root_, key); !made) return made;
    const auto named = naming == Naming::fresh ? file->link_to(path) : file->rename_to(path);
    if (!named && named.error().code != Errc::exists) return named.error();
    if (named && !*named) continue;
    // Also for a name that is taken: whoever sees it there relies on it.
    if (auto flushed = flush_folder(path.parent_path()); !flushed && named) return flushed;
    if (!named) return named.error();
    return {};
  }
  return Error{Errc::io, fmt::format("write {}: its folder was removed {} times", path.string(),
                                     kFolderTriesMax)};
}

Result<void> FileStore::put(const std::string& key, const Pieces& pieces) {
  return write(key, pieces, Naming::replace);
}

Result<void> FileStore::create(const std::string& key, const Pieces& pieces) {
  return write(key, pieces, Naming::fresh);
}

Result<std::string> FileStore::read(const std::string& key, std::uint64_t offset,
                                    std::uint64_t bytes) {
  if (!is_key(key)) return Error{Errc::invalid, fmt::format("read \"{}\": not a key", key)};
  const fs::path path = root_ / key;
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!fd.valid() || ::fstat(fd.get(), &facts) != 0) {
    // A part of the key that is a file: there is no such object either.
    return disk_error(errno == ENOTDIR ? ENOENT : errno, fmt::format("read {}", path.string()));
  }
  if (!S_ISREG(facts.st_mode)) return disk_error(ENOENT, fmt::format("read {}", path.string()));
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (offset >= size) return std::string();
  std::string data(std::min(bytes, size - offset), '\0');
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t got =
        ::pread(fd.get(), data.data() + done, std::min(data.size() - done, kReadMax),
                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return disk_error(errno, fmt::format("read {}", path.string()));
    if (got == 0) break;  // it was cut meanwhile: not by us
    done += static_cast<std::size_t>(got);
  }
  data.resize(done);
  return data;
}

Result<std::vector<ObjectInfo>> FileStore::list(const std::string& prefix) {
  // A root that is gone must not look empty.
  std::error_code code;
  if (!fs::is_directory(root_, code)) {
    return disk_error(ENOENT, fmt::format("list the store {}", root_.string()));
  }
  Listing listing(root_, prefix);
  if (auto walked = listing.walk("", 0); !walked) return walked.error();
  std::sort(listing.found.begin(), listing.found.end(),
            [](const ObjectInfo& a, const ObjectInfo& b) { return a.key < b.key; });
  return std::move(listing.found);
}

Result<void> FileStore::remove(const std::string& key) {
  if (!is_key(key)) return Error{Errc::invalid, fmt::format("remove \"{}\": not a key", key)};
  const fs::path path = root_ / key;
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return disk_error(errno, fmt::format("remove {}", path.string()));
  }
  if (auto flushed = flush_folder(path.parent_path()); !flushed) return flushed;
  // Folders that are empty now have no meaning in a store; rmdir() spares the others.
  for (fs::path folder = path.parent_path(); folder != root_; folder = folder.parent_path()) {
    if (::rmdir(folder.c_str()) != 0) break;
  }
  return {};
}

}  // namespace ringmaster::storage
